// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) import CookieBridge
import LoopbackInterception
import PagePrompts
import PageRecovery
import RequestPipeline
import ResourceLoading
import WebEngine
import WebViewPool

@testable import ContainerKit

/// The internal parts of a container that tests examine.
extension Container {
    var pipelines: ModePipelines { pipeline.pipelines }
    var path: RequestHandler { pipelines.primary.path }
    var requests: SchemeRequestHandler { pipeline.requests }
    var pool: ViewPool<Engine.View, ViewKey> { views.pool }
    var cookies: CookieSynchronizer? { components.first(CookiesComponent<Engine>.self)?.synchronizer }
    var loopback: LoopbackController<Engine>? { components.first(LoopbackComponent<Engine>.self)?.controller }
    var blankPages: BlankPageMonitor? { components.first(RecoveryComponent.self)?.monitor }
    var prefetch: PrefetchComponent? { components.first() }
    var pageRequests: PagePromptController? { components.first() }
}

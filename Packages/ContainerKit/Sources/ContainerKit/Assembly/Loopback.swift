// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
internal import HTTPTypes
internal import LoopbackInterception
internal import LoopbackServer
internal import OfflinePackage
internal import PackageUpdates
internal import PagePrefetch
internal import PageRecovery
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebViewPool

// MARK: - Assembly

extension Container {
    /// Starts the interception over loopback, and sends it the events of pages and of what is intercepted; returns `nil` if
    /// no mode in use is over loopback.
    func openLoopback() async throws -> LoopbackController<Engine>? {
        let pipeline = pipelines.loopback
        guard pipeline.mode.isOverLoopback else { return nil }
        let adapter = LoopbackAdapter(self, fields: pipeline.fields)
        let controller = try await LoopbackController(
            engine, in: pipeline.mode, configuration.network.loopback, directory: configuration.directory,
            names: modes.started.contains(.customScheme) ? configuration.pages.schemeNames : nil, isUsed: liveRules.isOn,
            logger: configuration.logger,
            ports: LoopbackPorts(pipeline: pipeline.path, bodies: legacy, observer: adapter, host: adapter))
        hub.observePermanently { [weak controller] event in
            switch event {
            case .packageInstalled, .package(.scopeChanged), .rulesChanged, .interceptionSwitched, .remoteConfigChanged,
                .previewMounted, .previewUnmounted, .tableChecked:
                controller?.policyChanged()
            case .pageOpened(let session): controller?.pageDidOpen(session)
            default: break
            }
        }
        return controller
    }

    /// A Boolean value that indicates whether the engine loads by the loopback proxy.
    var usesProxy: Bool { loopback?.mode == .loopbackProxy }

    /// Prepares the local server for a page.
    /// - Parameter url: the page's real URL.
    /// - Returns: the page's URL in the engine.
    /// - Throws: ``ContainerError`` with code `server`.
    func openAtServer(_ url: String) async throws -> String {
        guard let loopback else { return url }
        let place: String?
        do {
            place = try await loopback.open(url)
        } catch {
            throw ContainerError(.server, "the local server is not there: \(error)", at: url)
        }
        guard let place else { throw ContainerError(.server, "no site", at: url) }
        return place
    }

    /// Makes the engine connect to the proxy for the origins of the next pages.
    func preconnect() async {
        guard let loopback, let view = pool.idleView else { return }
        await loopback.preconnect(in: view, besides: packages.library.installed.map { "\($0.baseURL)" }) {
            mode(ofPageAt: $0) == .loopbackProxy
        }
    }
}

// MARK: - Ports

extension RequestHandler: LoopbackPipeline {
    var distinguishesAskers: Bool { policy.modes.havePlain }

    func opens(originOf request: HTTPRequest) -> Bool { policy.opens(originOf: request) }
}

extension LegacyBridgeHost: LoopbackBodies {
    nonisolated func isCarried(by request: HTTPRequest) -> Bool { messages.isCarried(by: request) }
}

/// Connects loopback interception to the events, pages and packages of a container, which it does not retain.
///
/// Isolation: the main actor, except for the requests for documents.
@MainActor
final class LoopbackAdapter<Engine: WebEngineDriver>: LoopbackHost, LoopbackRequestObserver {
    private weak var container: Container<Engine>?
    private let hub: EventHub
    private nonisolated let fields: EngineFields?
    private nonisolated let failures: DocumentFailures

    /// - Parameter fields: the header fields of the engine in the mode; `nil` if no requests are made ahead.
    init(_ container: Container<Engine>, fields: EngineFields?) {
        self.container = container
        self.fields = fields
        hub = container.hub
        failures = container.documentFailures
    }

    // MARK: Documents

    nonisolated func documentWasRequested(_ request: HTTPRequest) { fields?.record(request) }

    nonisolated func documentWasAnswered(_ url: String) { failures.answered(url) }

    nonisolated func documentFailed(_ url: String, because error: ResourceError) {
        failures.failed(url, because: error)
    }

    func record(_ report: LoopbackDocumentReport) {
        container?.blankPages?.recordDocument(
            of: report.page, hasBody: report.hasBody, isEmpty: report.isEmpty
        ) { report.isOf($0) }
    }

    // MARK: Events

    func loopbackDidSend(_ event: LoopbackEvent) { hub.send(.loopback(event)) }

    func requestDidEnd(_ record: RequestRecord) { hub.send(.request(record)) }

    func generation(_ generation: GenerationReference, didAnswer page: PageReference) {
        guard let container, let session = container.sessions.values.first(where: { $0.id == page.id }),
            session.documentURL == page.documentURL, !container.packages.hasRecorded(generation, of: session.id)
        else { return }
        container.packages.recordResponse(of: generation, to: container.current(session).reference)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebViewPool

/// A mock engine without pages. It records the proxy, and writes the trusted certificate to a file.
@MainActor
final class StandInEngine: WebEngineDriver, EngineNetworking, EngineCaching {
    nonisolated static let standardMode = InterceptionMode.customScheme
    var networking: any EngineNetworking { self }
    var caching: any EngineCaching { self }
    let name = "none"
    let cookies: any EngineCookieStore = NoCookies()
    private(set) var proxy: EngineProxy?
    private let certificate: URL

    init(certificate: URL) {
        self.certificate = certificate
    }

    /// Returns the traits of WebKitGTK in `loopbackProxy` mode.
    func traits(in mode: InterceptionMode) -> EngineTraits {
        EngineTraits(
            bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true,
            caches: true, identifiesPage: false, acceptLanguage: nil)
    }

    func register(_ scheme: CustomScheme, handler: @escaping SchemeHandler) {}
    func makeView() -> NoView { NoView() }
    func setProxy(_ proxy: EngineProxy?) { self.proxy = proxy }
    func clearHTTPCache() async throws {}
    func forgetFiles(under urls: [String], at origins: [String], lastGiven: ContinuousClock.Instant?) async throws {}

    func trust(_ certificate: EngineCertificate, for host: String) async throws {
        try Data(certificate.der).write(to: self.certificate, options: .atomic)
    }
}

@MainActor
final class NoView: EngineView, ViewLoading, ViewScripting {
    var loading: any ViewLoading { self }
    var scripting: any ViewScripting { self }
    let prompts: (any ViewPrompts)? = nil
    let downloads: (any ViewDownloads)? = nil
    let recovery: (any ViewRecovery)? = nil
    let snapshots: (any ViewSnapshots)? = nil
    let hasEnded = false
    let lastLoad: LoadToken? = nil
    let isPosted = false
    let pendingHandlers: Set<String> = []
    let id = ViewID(rawValue: 1)
    var onSignal: (@MainActor (ViewSignal) -> Void)?
    let isAlive = true

    func load(_ url: String) {}
    func stopLoading() {}
    func reload(_ url: String) {}
    func showErrorPage(_ html: String, for url: String) {}
    func isPosting(to url: String) -> Bool { false }
    func evaluate(_ functionBody: String, in world: ScriptWorld) async throws -> String { "null" }
    func setUserAgent(_ agent: UserAgent) {}
    func add(_ script: UserScript) {}
    func warmUp() async throws {}
    func reset() async throws -> NoView { self }
    func residualState() async throws -> Set<ResidualState> { [] }
    func discard() {}
    func precompile(_ sources: [String]) async throws {}
    func setContentRules(_ json: String) async throws {}
    func answerPrompts(startingWith prefix: String, _ answer: @escaping @MainActor (String) -> String) {}
    func holdForms(_ wait: @escaping @MainActor (_ url: String) -> (@MainActor () async -> Void)?) {}
    func setMessageHandler(
        named name: String, in world: ScriptWorld,
        _ handler: @escaping @MainActor (ScriptMessage) async throws -> String
    ) {}
}

@MainActor
private final class NoCookies: EngineCookieStore {
    func all() async throws -> [EngineCookie] { [] }
    func set(_ cookie: EngineCookie) async throws {}
    func remove(name: String, domain: String, path: String) async throws {}
    let losses = 0
    func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}

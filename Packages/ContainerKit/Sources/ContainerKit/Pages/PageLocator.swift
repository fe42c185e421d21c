// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
internal import RequestPipeline
internal import ResourceLoading
internal import SchemeMode
internal import WebEngine

/// The translation between real URLs and the URLs that pages have in the engine.
///
/// Isolation: the main actor.
@MainActor
final class PageLocator<Engine: WebEngineDriver> {
    private let names: SchemeNames
    private let legacyMessages: LegacyMessages?
    private let policy: InterceptionPolicy
    private let loopback: (any LoopbackTranslating)?

    init(
        _ configuration: ContainerConfiguration, policy: InterceptionPolicy, loopback: (any LoopbackTranslating)?
    ) {
        names = configuration.pages.schemeNames
        legacyMessages = configuration.pages.legacyMessages
        self.policy = policy
        self.loopback = loopback
    }

    /// Returns the mode in which a page of a real URL opens now.
    func mode(ofPageAt url: String) -> InterceptionMode { policy.mode(ofPageAt: url) }

    /// Returns a Boolean value that indicates whether requests of pages in a mode do not identify their page. Plain
    /// pages also load through the proxy, and may request covered URLs.
    func isShared(_ mode: InterceptionMode) -> Bool {
        mode.isOverLoopback || mode == .plain && loopback?.mode == .loopbackProxy
    }

    /// Returns the engine URL of a page that opens, and prepares the local server for it.
    /// - Throws: ``ContainerError`` with code `server`.
    func open(_ url: String, in mode: InterceptionMode) async throws -> String {
        switch mode {
        case .plain, .document, .loopbackProxy, .httpsTakeover: url
        case .customScheme: names.name(of: url) ?? url
        case .loopbackServer: try await loopback?.openAtServer(url) ?? url
        }
    }

    /// Returns the origin that documents of a real origin have in a mode.
    func origin(_ real: String, in mode: InterceptionMode) -> String {
        let place =
            switch mode {
            case .plain, .document, .loopbackProxy, .httpsTakeover: nil as String?
            case .customScheme: names.name(of: real + "/")
            case .loopbackServer: loopback?.place(of: real + "/")
            }
        return place.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? real
    }

    /// Returns the real URL of a document, given its engine URL.
    func realURL(of place: String) -> String { knownRealURL(of: place) ?? place }

    /// Returns the real URL of the document that a view shows, without the parameter of the legacy bridge.
    func documentURL(of place: String) -> String {
        let url = realURL(of: place)
        return legacyMessages?.withoutID(url) ?? url
    }

    /// Returns a Boolean value that indicates whether an engine URL differs from the real URL.
    func isMoved(_ place: String) -> Bool { knownRealURL(of: place) != nil }

    /// Returns a Boolean value that indicates whether a page at an engine URL is intercepted now.
    func isCovered(_ place: String) -> Bool { isMoved(place) || mode(ofPageAt: place) != .plain }

    private func knownRealURL(of place: String) -> String? {
        loopback?.realURL(of: place) ?? names.realURL(of: place)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
package import ResourceLoading
package import SchemeRouter
package import WebEngine

/// The error for modes that cannot be combined, or for patterns that are invalid.
package struct PageModesError: Error, Sendable, Hashable {
    /// The reason, in one line.
    package let message: String
    /// The modes in question, or `nil`.
    package var location: String?
}

/// The modes of a container, and the entries that the host and remote config name for pages.
package struct PageModes: Sendable {
    /// A list of entries. The last matching entry applies.
    private struct Table: Sendable {
        var rules = RouteRules.none
        var modes: [InterceptionMode?] = []

        func mode(for page: HTTPRequest) -> InterceptionMode? {
            guard !modes.isEmpty, case .rule(let index) = rules.decide(page).reason else { return nil }
            return modes[index]
        }
    }

    /// The mode of pages without an entry.
    package let standard: InterceptionMode
    /// The intercepting modes that are in use, the standard mode first.
    package let started: [InterceptionMode]
    /// The switch that is on while the proxy is proven; `nil` if the mode `loopbackProxy` is not in use or needs no
    /// proof.
    package let proxyProof: FeatureSwitch?
    /// The mode that replaces `loopbackProxy` while the proxy is not proven.
    private let fallback: InterceptionMode
    private let named: Table
    private var remote = Table()

    /// Creates the modes.
    /// - Parameter unproven: the standard mode of an engine whose proxy needs a proof; `nil` for other engines.
    /// - Throws: ``PageModesError`` if the modes cannot be combined, or if there are too many patterns.
    package init(
        _ standard: InterceptionMode, _ pageModes: [PageMode] = [], provingProxyOr unproven: InterceptionMode? = nil
    ) throws(PageModesError) {
        self.standard = standard
        var started: [InterceptionMode] = []
        for mode in [standard] + pageModes.map(\.mode) where mode != .plain && !started.contains(mode) {
            started.append(mode)
        }
        fallback = unproven == .document ? .document : .customScheme
        proxyProof = unproven != nil && started.contains(.loopbackProxy) ? FeatureSwitch(isOn: false) : nil
        if proxyProof != nil, !started.contains(fallback) { started.append(fallback) }
        self.started = started
        let allowsMode = started.count == 1 || !started.contains(.loopbackServer)
        guard started.contains(.httpsTakeover) ? pageModes.isEmpty : allowsMode else {
            throw PageModesError(
                message: "httpsTakeover cannot be combined with other modes, and loopbackServer with plain only",
                location: started.map(\.rawValue).joined(separator: ", "))
        }
        named = try Self.table(pageModes.map { ($0.pages, $0.mode) })
    }

    private static func table(
        _ entries: [(pages: PagePattern, mode: InterceptionMode?)]
    ) throws(PageModesError) -> Table {
        do {
            // `Table.mode(for:)` matches the document request of a page. The actions of the rules are not used.
            let rules = try RouteRules(
                entries.map { RouteRule(.intercept, scheme: $0.pages.scheme, host: $0.pages.host, path: $0.pages.path) }
            )
            return Table(rules: rules, modes: entries.map(\.mode))
        } catch {
            throw PageModesError(message: "modes of pages: \(error)")
        }
    }

    /// Replaces the entries of remote config. An entry whose mode is not in use has no effect, and no entry overrides
    /// `plain` of the host.
    /// - Parameter entries: the patterns with their modes; `nil` for the mode that the host has configured.
    /// - Throws: ``PageModesError`` if there are more patterns than route rules allow.
    package mutating func apply(
        _ entries: [(pages: PagePattern, mode: InterceptionMode?)]
    ) throws(PageModesError) {
        remote = try Self.table(
            entries.map { entry in (entry.pages, entry.mode.flatMap { started.contains($0) ? $0 : nil }) })
    }

    /// A Boolean value that indicates whether the host has configured entries for pages, or the proxy has a fallback.
    package var areSeveral: Bool { !named.modes.isEmpty || proxyProof != nil }

    /// A Boolean value that indicates whether covered pages can be plain.
    package var havePlain: Bool { areSeveral && (standard == .plain || named.modes.contains(.plain)) }

    /// The mode that changes the origin of pages; at most one of the modes in use does.
    package var movingOrigins: InterceptionMode? { started.first(where: \.changesOrigin) }

    /// The modes with a request pipeline. The pipeline of the first mode also handles the app's own requests.
    package var chains: [InterceptionMode] {
        if started.isEmpty { return [.customScheme] }
        guard standard == .plain, started.contains(.customScheme) else { return started }
        return [.customScheme] + started.filter { $0 != .customScheme }
    }

    /// Returns the mode that is configured for a page, or `nil` if no entry matches. The fallback replaces an unproven
    /// proxy.
    func named(for page: HTTPRequest) -> InterceptionMode? { configured(for: page).map(available) }

    /// Returns the replacement of a mode if it is `loopbackProxy` and not proven, otherwise the mode.
    func available(_ mode: InterceptionMode) -> InterceptionMode {
        mode == .loopbackProxy && proxyProof?.isOn == false ? fallback : mode
    }

    /// Returns a Boolean value that indicates whether a page opens in the mode `loopbackProxy` only after a proof.
    func requiresProof(for page: HTTPRequest) -> Bool {
        proxyProof != nil && (configured(for: page) ?? standard) == .loopbackProxy
    }

    private func configured(for page: HTTPRequest) -> InterceptionMode? {
        let own = named.mode(for: page)
        return own == .plain ? own : remote.mode(for: page) ?? own
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import RemoteConfig
internal import SchemeRouter
internal import WebEngine

/// Which modes a container is in, and which one its host, or remote config, names for a page. A value.
struct PageModes: Sendable {
    /// A list of which the last entry that fits decides.
    private struct Table: Sendable {
        var rules = RouteRules.none
        var modes: [InterceptionMode?] = []

        func mode(for page: HTTPRequest) -> InterceptionMode? {
            guard !modes.isEmpty, case .rule(let index) = rules.decide(page).reason else { return nil }
            return modes[index]
        }
    }

    /// That of pages which nobody names.
    let standard: InterceptionMode
    /// Those that intercept and are in use, the standard one first.
    let started: [InterceptionMode]
    private let named: Table
    private var remote = Table()

    /// - Throws: ``ContainerError`` with code `unsupported`, where modes do not go together, or there are more patterns
    ///   than rules may have.
    init(_ standard: InterceptionMode, _ pageModes: [PageMode] = []) throws(ContainerError) {
        self.standard = standard
        var started: [InterceptionMode] = []
        for mode in [standard] + pageModes.map(\.mode) where mode != .plain && !started.contains(mode) {
            started.append(mode)
        }
        self.started = started
        guard !started.contains(.loopbackServer) || started.count == 1 else {
            throw ContainerError(
                .unsupported, "pages of the local server have cookies of their own, which no other mode has",
                at: started.map(\.rawValue).joined(separator: ", "))
        }
        named = try Self.table(pageModes.map { ($0.pages, $0.mode) })
    }

    private static func table(
        _ entries: [(pages: PagePattern, mode: InterceptionMode?)]
    ) throws(ContainerError) -> Table {
        do {
            // A document asks for itself. What the actions are does not count.
            let rules = try RouteRules(
                entries.map { RouteRule(.intercept, scheme: $0.pages.scheme, host: $0.pages.host, path: $0.pages.path) }
            )
            return Table(rules: rules, modes: entries.map(\.mode))
        } catch {
            throw ContainerError(.unsupported, "modes of pages: \(error)")
        }
    }

    /// Takes what remote config says of modes: what is started here, and never in place of the host's `plain`.
    mutating func apply(_ document: RemoteConfigDocument) throws(ContainerError) {
        remote = try Self.table(
            document.pageModes.map { entry in
                (entry.pages, entry.mode.named.flatMap { started.contains($0) ? $0 : nil })
            })
    }

    /// What remote config names that is not in use here, and so has no effect.
    func missing(in document: RemoteConfigDocument) -> [InterceptionMode] {
        InterceptionMode.allCases.filter { mode in
            !started.contains(mode) && document.modes.contains { $0.mode.named == mode }
        }
    }

    /// Whether pages differ in their modes by more than what covers them.
    var areSeveral: Bool { !named.modes.isEmpty }

    /// Whether some pages are plain although something covers them.
    var havePlain: Bool { areSeveral && (standard == .plain || named.modes.contains(.plain)) }

    /// The one that gives pages another origin; there is one at most.
    var movingOrigins: InterceptionMode? { started.first(where: \.changesOrigin) }

    /// Those of which each has a chain, the one for the app's own requests first.
    var chains: [InterceptionMode] {
        if started.isEmpty { return [.customScheme] }
        guard standard == .plain, started.contains(.customScheme) else { return started }
        return [.customScheme] + started.filter { $0 != .customScheme }
    }

    /// What is said of a page; `nil` where nothing is.
    func named(for page: HTTPRequest) -> InterceptionMode? {
        let own = named.mode(for: page)
        return own == .plain ? own : remote.mode(for: page) ?? own
    }
}

extension RemoteConfigMode {
    /// The mode that intercepts, where it is named.
    var named: InterceptionMode? {
        switch self {
        case .plain, .configured: nil
        case .customScheme: .customScheme
        case .loopbackProxy: .loopbackProxy
        case .loopbackServer: .loopbackServer
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
package import SchemeRouter
package import WebEngine

/// The error for modes that cannot be used together, or patterns that cannot be used.
package struct PageModesError: Error, Sendable, Hashable {
    /// The reason, in one line.
    package let message: String
    /// The modes that it is about.
    package var location: String?
}

/// The modes of a container, and the mode that the host or remote config names for a page. A value.
package struct PageModes: Sendable {
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
    package let standard: InterceptionMode
    /// Those that intercept and are in use, the standard one first.
    package let started: [InterceptionMode]
    private let named: Table
    private var remote = Table()

    /// - Throws: ``PageModesError`` if modes do not go together, or if there are more patterns than rules may have.
    package init(_ standard: InterceptionMode, _ pageModes: [PageMode] = []) throws(PageModesError) {
        self.standard = standard
        var started: [InterceptionMode] = []
        for mode in [standard] + pageModes.map(\.mode) where mode != .plain && !started.contains(mode) {
            started.append(mode)
        }
        self.started = started
        guard !started.contains(.loopbackServer) || started.count == 1 else {
            throw PageModesError(
                message: "pages of the local server have cookies of their own, which no other mode has",
                location: started.map(\.rawValue).joined(separator: ", "))
        }
        named = try Self.table(pageModes.map { ($0.pages, $0.mode) })
    }

    private static func table(
        _ entries: [(pages: PagePattern, mode: InterceptionMode?)]
    ) throws(PageModesError) -> Table {
        do {
            // A document asks for itself. What the actions are does not count.
            let rules = try RouteRules(
                entries.map { RouteRule(.intercept, scheme: $0.pages.scheme, host: $0.pages.host, path: $0.pages.path) }
            )
            return Table(rules: rules, modes: entries.map(\.mode))
        } catch {
            throw PageModesError(message: "modes of pages: \(error)")
        }
    }

    /// Replaces the modes that remote config names. A mode that is not in use has no effect, and none replaces the
    /// host's `plain`.
    /// - Parameter entries: the patterns with their modes; `nil` for the mode that the host has configured.
    /// - Throws: ``PageModesError`` if there are more patterns than rules may have.
    package mutating func apply(
        _ entries: [(pages: PagePattern, mode: InterceptionMode?)]
    ) throws(PageModesError) {
        remote = try Self.table(
            entries.map { entry in (entry.pages, entry.mode.flatMap { started.contains($0) ? $0 : nil }) })
    }

    /// Whether pages differ in their modes by more than what covers them.
    package var areSeveral: Bool { !named.modes.isEmpty }

    /// Whether some pages are plain although something covers them.
    package var havePlain: Bool { areSeveral && (standard == .plain || named.modes.contains(.plain)) }

    /// The one that gives pages another origin; there is one at most.
    package var movingOrigins: InterceptionMode? { started.first(where: \.changesOrigin) }

    /// Those of which each has a chain, the one for the app's own requests first.
    package var chains: [InterceptionMode] {
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

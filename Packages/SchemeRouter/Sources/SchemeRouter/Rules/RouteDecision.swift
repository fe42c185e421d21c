// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The decision on a request and its reason.
public struct RouteDecision: Sendable, Hashable, CustomStringConvertible {
    /// The reason of a decision. Cases are added over time: keep a default when switching.
    public enum Reason: Sendable, Hashable {
        /// Interception is switched off.
        case off
        /// An entry of the deny list matches; the associated value is its zero-based index.
        case denied(Int)
        /// The last matching rule decides; the associated value is its zero-based index.
        case rule(Int)
        /// The last matching rule of ``ActiveRules/remoteRules`` decides; the associated value is its zero-based index.
        case remoteRule(Int)
        /// A rule set of ``ActiveRules/vetoes`` decides `pass`, for the associated reason.
        indirect case veto(Reason)
        /// The requesting page is opened without the container, independently of the rules.
        case plainPage
        /// No rule matches, but another source such as a package covers the request.
        case covered
        /// No rule matches, and no source covers the request.
        case uncovered
        /// The URL is not an `http` or `https` URL with a valid host, or its path is too long.
        case unreadable
    }

    /// The action.
    public let action: RouteAction
    /// The reason for the action.
    public let reason: Reason

    /// The action.
    public init(_ action: RouteAction, because reason: Reason) {
        self.action = action
        self.reason = reason
    }

    /// A Boolean value that indicates whether the action replaces or changes the response.
    @_spi(Facade) public var changesResponse: Bool { action.changesResponse }

    /// A one-line description for logs.
    public var description: String {
        "\(action.name): \(Self.explanation(reason))"
    }

    private static func explanation(_ reason: Reason) -> String {
        switch reason {
        case .off: "switched off"
        case .denied(let index): "deny[\(index)]"
        case .rule(let index): "rules[\(index)]"
        case .remoteRule(let index): "remote rules[\(index)]"
        case .veto(let reason): "veto, \(explanation(reason))"
        case .plainPage: "its page bypasses the container"
        case .covered: "covered, and no rule matches"
        case .uncovered: "not covered"
        case .unreadable: "the URL cannot be evaluated"
        }
    }
}

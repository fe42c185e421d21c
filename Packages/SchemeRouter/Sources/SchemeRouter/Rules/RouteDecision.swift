// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What was decided over one request, and why.
public struct RouteDecision: Sendable, Hashable, CustomStringConvertible {
    /// Why it was decided so. Reasons are added over time: keep a default when switching.
    public enum Reason: Sendable, Hashable {
        /// Interception is switched off.
        case off
        /// An entry of the deny list, counted from 0.
        case denied(Int)
        /// The last rule that matches, counted from 0.
        case rule(Int)
        /// One of ``ActiveRules/vetoes`` has it so, for this reason of its own.
        indirect case veto(Reason)
        /// The page that asks is opened past the container, whatever rules say of the request.
        case plainPage
        /// No rule matches, but something else covers it, such as a package.
        case covered
        /// Nobody covers it.
        case uncovered
        /// No `http` or `https` URL with a plain host, or a path that is too long to judge.
        case unreadable
    }

    public let action: RouteAction
    public let reason: Reason

    public init(_ action: RouteAction, because reason: Reason) {
        self.action = action
        self.reason = reason
    }

    /// One line for people.
    public var description: String {
        "\(action.rawValue): \(Self.why(reason))"
    }

    private static func why(_ reason: Reason) -> String {
        switch reason {
        case .off: "switched off"
        case .denied(let index): "deny[\(index)]"
        case .rule(let index): "rules[\(index)]"
        case .veto(let reason): "objection, \(why(reason))"
        case .plainPage: "its page opens plain"
        case .covered: "covered, and no rule says otherwise"
        case .uncovered: "nobody covers it"
        case .unreadable: "not a URL that can be judged"
        }
    }
}

/// What becomes of a request: the two ways there are.
public enum RouteAction: String, Sendable, Hashable, CaseIterable {
    /// The container answers it.
    case intercept
    /// The container keeps out of it.
    case pass

    /// A Boolean value that indicates whether the container answers the request.
    @_spi(Facade) public var intercepts: Bool {
        switch self {
        case .intercept: true
        case .pass: false
        }
    }
}

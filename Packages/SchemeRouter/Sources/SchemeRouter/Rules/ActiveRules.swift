// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import HTTPTypes

/// The rules that apply now, and the switch that turns all off at once.
///
/// Both are changed as a whole between two decisions; what was decided before stays decided, so requests in flight
/// finish as they began.
/// Isolation: any.
public final class ActiveRules: Sendable {
    private struct State {
        var rules: RouteRules
        var isEnabled: Bool
        var vetoes: [RouteRules] = []
    }

    private let state: Mutex<State>

    public init(_ rules: RouteRules = .none, isEnabled: Bool = true) {
        state = Mutex(State(rules: rules, isEnabled: isEnabled))
    }

    /// The rules that apply to requests that start now.
    public var rules: RouteRules {
        get { state.withLock(\.rules) }
        set { state.withLock { $0.rules = newValue } }
    }

    /// The host's own switch. What is intercepted needs this one and that of the rules.
    public var isEnabled: Bool {
        get { state.withLock(\.isEnabled) }
        set { state.withLock { $0.isEnabled = newValue } }
    }

    /// Rules of others than the host, which may keep out and not let in: what the switch, the deny list or a rule of one of
    /// them passes is passed. Over all else they say nothing. None by default.
    public var vetoes: [RouteRules] {
        get { state.withLock(\.vetoes) }
        set { state.withLock { $0.vetoes = newValue } }
    }

    /// Whether anything is intercepted at all: all switches are on.
    public var isOn: Bool {
        state.withLock { $0.isEnabled && $0.rules.isEnabled && $0.vetoes.allSatisfy(\.isEnabled) }
    }

    /// Decides over a request by the rules of this moment; see ``RouteRules/decide(_:page:isCovered:)``.
    public func decide(
        _ request: HTTPRequest, page: String? = nil, isCovered: @autoclosure () -> Bool = false
    ) -> RouteDecision {
        let (rules, isEnabled, vetoes) = state.withLock { ($0.rules, $0.isEnabled, $0.vetoes) }
        guard isEnabled else { return RouteDecision(.pass, because: .off) }
        for veto in vetoes {
            let decision = veto.decide(request, page: page, isCovered: true)
            guard !decision.action.intercepts, decision.reason != .unreadable else { continue }
            return RouteDecision(.pass, because: .veto(decision.reason))
        }
        return rules.decide(request, page: page, isCovered: isCovered())
    }

    /// By the rules of this moment; see ``RouteRules/mayIntercept(originOf:isCovered:)``.
    public func mayIntercept(originOf origin: HTTPRequest, isCovered: @autoclosure () -> Bool) -> Bool {
        let (rules, isEnabled, vetoes) = state.withLock { ($0.rules, $0.isEnabled, $0.vetoes) }
        guard isEnabled, vetoes.allSatisfy({ $0.mayIntercept(originOf: origin, isCovered: true) }) else {
            return false
        }
        return rules.mayIntercept(originOf: origin, isCovered: isCovered())
    }
}

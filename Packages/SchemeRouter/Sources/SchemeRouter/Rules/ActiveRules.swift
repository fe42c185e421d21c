// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import HTTPTypes

/// The current rules and the switch that turns all interception off.
///
/// Each decision uses one consistent state. Requests in flight keep the decision that was made for them.
///
/// Isolation: any.
public final class ActiveRules: Sendable {
    private struct State {
        var rules: RouteRules
        var isEnabled: Bool
        var vetoes: [RouteRules] = []
        var remoteRules = RouteRules.none
        /// The number of changes of the rules.
        var revision = 0
        /// The last content rules; `nil` after a change of the rules.
        var blocking: Result<String?, RouteError>?

        mutating func change(_ change: (inout State) -> Void) {
            change(&self)
            revision += 1
            blocking = nil
        }
    }

    private let state: Mutex<State>

    /// Creates rules that can be replaced.
    public init(_ rules: RouteRules = .none, isEnabled: Bool = true) {
        state = Mutex(State(rules: rules, isEnabled: isEnabled))
    }

    /// The rules for requests that start from now on.
    public var rules: RouteRules {
        get { state.withLock(\.rules) }
        set { state.withLock { $0.change { $0.rules = newValue } } }
    }

    /// A Boolean value that indicates whether the host enables interception. Interception also requires the switch of
    /// the rules.
    public var isEnabled: Bool {
        get { state.withLock(\.isEnabled) }
        set { state.withLock { $0.change { $0.isEnabled = newValue } } }
    }

    /// The rule sets that can veto interception but never enable it, for example from remote config; none by default. A
    /// rule set vetoes a request by its switch, its deny list or a rule with the action `pass`.
    public var vetoes: [RouteRules] {
        get { state.withLock(\.vetoes) }
        set { state.withLock { $0.change { $0.vetoes = newValue } } }
    }

    /// The rules of remote config; none by default. They apply only to requests that ``rules`` or another source
    /// intercepts without an action of their own, so they neither intercept more requests nor replace an action of the
    /// host.
    public var remoteRules: RouteRules {
        get { state.withLock(\.remoteRules) }
        set { state.withLock { $0.change { $0.remoteRules = newValue } } }
    }

    /// A Boolean value that indicates whether any current rule replaces or changes responses.
    @_spi(Facade) public var haveActions: Bool {
        state.withLock { $0.rules.haveActions || $0.remoteRules.haveActions }
    }

    /// Returns WebKit content rules that block the requests that the current rules block, for engines that make them
    /// themselves, or `nil` if they block nothing; see `docs/route-rules.md`. The result is cached until the rules
    /// change.
    /// - Parameter coveredHosts: The hosts to which all requests are intercepted if no rule matches; always the same.
    /// - Throws: ``RouteError`` with code `limit`.
    @_spi(Facade) public func blockingContentRules(coveredHosts: [HostPattern]) throws(RouteError) -> String? {
        let state = state.withLock(\.self)
        guard state.isEnabled, state.rules.haveActions || state.remoteRules.haveActions else { return nil }
        if let known = state.blocking { return try known.get() }
        let list = BlockingRules(
            host: state.rules, remote: state.remoteRules, vetoes: state.vetoes, coveredHosts: coveredHosts)
        let blocking = Result { () throws(RouteError) in try list.json() }
        self.state.withLock { current in
            if current.revision == state.revision { current.blocking = blocking }
        }
        return try blocking.get()
    }

    /// A Boolean value that indicates whether interception is enabled by all switches.
    public var isOn: Bool {
        state.withLock { $0.isEnabled && $0.rules.isEnabled && $0.vetoes.allSatisfy(\.isEnabled) }
    }

    /// Decides on a request with the current rules; see ``RouteRules/decide(_:page:isCovered:)``.
    public func decide(
        _ request: HTTPRequest, page: String? = nil, isCovered: @autoclosure () -> Bool = false
    ) -> RouteDecision {
        let state = state.withLock(\.self)
        guard state.isEnabled else { return RouteDecision(.pass, because: .off) }
        for veto in state.vetoes {
            let decision = veto.decide(request, page: page, isCovered: true)
            guard !decision.action.intercepts, decision.reason != .unreadable else { continue }
            return RouteDecision(.pass, because: .veto(decision.reason))
        }
        let decision = state.rules.decide(request, page: page, isCovered: isCovered())
        guard decision.action == .intercept, !state.remoteRules.rules.isEmpty,
            case let remote = state.remoteRules.decide(request, page: page), case .rule(let index) = remote.reason
        else { return decision }
        return RouteDecision(remote.action, because: .remoteRule(index))
    }

    /// Returns a Boolean value that indicates whether requests to an origin may be intercepted by the current rules;
    /// see ``RouteRules/mayIntercept(originOf:isCovered:)``.
    public func mayIntercept(originOf origin: HTTPRequest, isCovered: @autoclosure () -> Bool) -> Bool {
        let (rules, isEnabled, vetoes) = state.withLock { ($0.rules, $0.isEnabled, $0.vetoes) }
        guard isEnabled, vetoes.allSatisfy({ $0.mayIntercept(originOf: origin, isCovered: true) }) else {
            return false
        }
        return rules.mayIntercept(originOf: origin, isCovered: isCovered())
    }
}

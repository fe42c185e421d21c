// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
public import RequestPipeline
internal import ResourceLoading
public import SchemeRouter
public import WebEngine

// What is intercepted, and in which mode pages open.
extension Container {
    /// The rules that apply to requests that start now.
    public var rules: RouteRules { core.rules.rules }

    /// Replaces all rules: requests that have started continue as they began.
    ///
    /// Open pages stay in their mode. They get what the new rules bypass from the network.
    /// - Parameter rules: the rules from now on.
    public func setRules(_ rules: RouteRules) {
        core.rules.rules = rules
        configuration.logger.notice(
            "rules",
            metadata: ["count": "\(rules.rules.count)", "deny": "\(rules.deny.count)", "on": "\(rules.isEnabled)"])
        hub.send(.rulesChanged)
    }

    /// The switch of all interception; `true` at first. If it is off, pages open as without a container, and open pages
    /// get everything from the network. Requests in flight finish as they began, except for those over the proxy: engines
    /// cancel their requests when their proxy changes, as WebKitGTK does. Remote config has a switch of its own; both must
    /// be on.
    public var isEnabled: Bool {
        get { core.rules.isEnabled }
        set {
            guard newValue != core.rules.isEnabled else { return }
            core.rules.isEnabled = newValue
            configuration.logger.notice("interception", metadata: ["on": "\(newValue)"])
            hub.send(.interceptionSwitched(isEnabled: newValue))
        }
    }

    /// Returns `true` if a page of this URL would be intercepted.
    public func covers(_ url: String) -> Bool { mode(ofPageAt: url) != .plain }

    /// Returns the mode in which a page of a URL would open now: coverage and the rules decide whether it is intercepted.
    /// The mode is the first of: `plain` of ``ContainerConfiguration/Pages/modes``, the mode of remote config, the other
    /// entries of that list, the mode in which its origin was opened before, ``ContainerConfiguration/Pages/mode``.
    public func mode(ofPageAt url: String) -> InterceptionMode { locator.mode(ofPageAt: url) }

    // MARK: Modes of origins

    /// The modes in which origins were opened or are to be opened, by their texts, such as `https://shop.example`;
    /// ``ContainerConfiguration/Pages/originModes`` has the rule. Empty if all modes in use leave pages their true origin, or
    /// if the rule keeps no mode.
    public var originModes: [String: OriginMode] { pipeline.origins?.all ?? [:] }

    /// Sets the mode in which pages of an origin open from now on, whatever covers them. Open pages stay as they are. Data
    /// that pages have stored is not moved.
    /// - Parameters:
    ///   - mode: the mode; `nil` if the next page that is opened decides.
    ///   - url: any URL of the origin.
    /// - Throws: ``ContainerError`` with code `invalidURL`, or `unsupported` if origins have no mode of their own.
    public func setMode(_ mode: OriginMode?, ofOrigin url: String) throws {
        guard let real = RealURL(url), let origin = WebOrigin(url: real.text) else {
            throw ContainerError(.invalidURL, "only http and https pages have an origin", at: url)
        }
        guard let origins = pipeline.origins else {
            throw ContainerError(.unsupported, "origins have no mode of their own here", at: url)
        }
        origins.set(mode, of: origin)
    }
}

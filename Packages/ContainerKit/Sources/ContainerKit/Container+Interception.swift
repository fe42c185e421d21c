// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
public import RequestPipeline
@_spi(Facade) internal import ResourceLoading
public import SchemeRouter
public import WebEngine

// Interception: the rules, the switch and the modes of pages.
extension Container {
    /// The route rules for requests that start from now on.
    public var rules: RouteRules { core.rules.rules }

    /// Replaces all route rules. Requests that have already started are not affected.
    ///
    /// Open pages stay in their mode. Requests that the new rules bypass go to the network.
    /// - Parameter rules: the new rules.
    public func setRules(_ rules: RouteRules) {
        core.rules.rules = rules
        configuration.logger.notice(
            "route rules replaced",
            metadata: ["count": "\(rules.rules.count)", "deny": "\(rules.deny.count)", "on": "\(rules.isEnabled)"])
        hub.send(.rulesChanged)
    }

    /// A Boolean value that indicates whether interception is enabled; `true` by default.
    ///
    /// If it is `false`, pages open without interception, and open pages get all responses from the network. Requests
    /// in progress finish as they began, except over the proxy: engines such as WebKitGTK cancel their requests when
    /// their proxy changes. Remote config has a separate switch; interception requires both.
    public var isEnabled: Bool {
        get { core.rules.isEnabled }
        set {
            guard newValue != core.rules.isEnabled else { return }
            core.rules.isEnabled = newValue
            configuration.logger.notice("interception switched", metadata: ["on": "\(newValue)"])
            hub.send(.interceptionSwitched(isEnabled: newValue))
        }
    }

    /// Returns a Boolean value that indicates whether a page at the URL would be intercepted.
    public func covers(_ url: String) -> Bool { mode(ofPageAt: url) != .plain }

    /// Returns the mode in which a page at the URL would open now.
    ///
    /// The route rules and the coverage decide whether the page is intercepted. The mode of an intercepted page is the
    /// first that exists: a `plain` entry of ``ContainerConfiguration/Pages/modes``, the mode of remote config, another
    /// entry of `modes`, the recorded mode of the origin, ``ContainerConfiguration/Pages/mode``.
    public func mode(ofPageAt url: String) -> InterceptionMode { locator.mode(ofPageAt: url) }

    // MARK: Modes of origins

    /// The recorded and the configured modes of origins, by the serialized origin, such as `https://shop.example`. The
    /// policy is ``ContainerConfiguration/Pages/originModes``. Empty if no mode in use changes the origin of pages, or
    /// if the policy records no mode.
    public var originModes: [String: OriginMode] { pipeline.origins?.all ?? [:] }

    /// Sets the mode in which pages of an origin open from now on, independent of the coverage. Open pages do not
    /// change. Data that pages have stored is not migrated.
    /// - Parameters:
    ///   - mode: the mode; `nil` to let the next page that is opened determine it.
    ///   - url: a URL of the origin.
    /// - Throws: ``ContainerError`` with code `invalidURL`, or with code `unsupported` if the configuration records no
    ///   modes of origins.
    public func setMode(_ mode: OriginMode?, ofOrigin url: String) throws {
        guard let real = RealURL(url), let origin = WebOrigin(url: real.text) else {
            throw ContainerError(.invalidURL, "only http and https pages have an origin", at: url)
        }
        guard let origins = pipeline.origins else {
            throw ContainerError(
                .unsupported, "this configuration records no modes of origins: see pages.mode and pages.originModes",
                at: url)
        }
        origins.set(mode, of: origin)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar

/// Options of the cookies of pages in custom-scheme mode, in which the engine has none: limits, persistence, and the
/// synchronization with the engine's store.
public struct CookieOptions: Sendable {
    /// A Boolean value that indicates whether cookies with an expiry outlive the process; true by default. They are stored
    /// in `cookies.json` in the container's folder, which only its user can read.
    public var isPersistent = true
    /// A Boolean value that indicates whether parts of a page that come from other sites may set cookies; false by default,
    /// as in Safari and WebKitGTK.
    public var acceptsThirdParties = false
    /// The most cookies that are stored; see `CookieStore.Limits` for the defaults.
    public var limits = CookieStore.Limits()

    /// The longest time for which a page that opens waits until the engine's store and the container's have the same
    /// cookies; 3 seconds by default. After that the page opens without them.
    public var openLimit = Duration.seconds(3)
    /// The name of the request field that asks for the cookies of the response to be in the engine's store before the page
    /// receives the response; `x-wkwebview-request-type` by default. The field never leaves the container. `nil`
    /// for none.
    public var handOverField: String? = LegacyCookieMessage.markerField
    /// The longest time for which such a response waits; 2 seconds by default.
    public var handOverLimit = Duration.seconds(2)

    /// Creates the default options.
    public init() {}
}

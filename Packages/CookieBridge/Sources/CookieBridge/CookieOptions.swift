// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar

/// The options for the cookies of pages in custom-scheme mode, in which the engine has no cookies for pages: limits,
/// persistence, and synchronization with the engine's store.
public struct CookieOptions: Sendable {
    /// A Boolean value that indicates whether cookies with an expiry outlive the process; `true` by default. The
    /// cookies are stored in `cookies.json` in the container's folder, readable and writable only by the owner.
    public var isPersistent = true
    /// A Boolean value that indicates whether third-party resources of a page may set cookies; `false` by default, as
    /// in Safari and WebKitGTK.
    public var acceptsThirdParties = false
    /// The limits on stored cookies; see `CookieStore.Limits` for the defaults.
    public var limits = CookieStore.Limits()

    /// The longest time for which opening a page waits for the synchronization of the engine's store and the jar; 3
    /// seconds by default. After this time the page opens without synchronization.
    public var openLimit = Duration.seconds(3)
    /// The name of the request field that requests a transfer: the page receives the response when the cookies of the
    /// response are in the engine's store. The default is `x-wkwebview-request-type`; `nil` disables transfers. The
    /// field never leaves the container.
    public var transferField: String? = LegacyCookieMessage.markerField
    /// The longest time for which a response with a requested transfer waits; 2 seconds by default.
    public var transferLimit = Duration.seconds(2)

    /// Creates the default options.
    public init() {}
}

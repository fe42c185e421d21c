// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar

/// The options for the cookies of pages: the app's storage that they are synchronized with, and the jar of pages in
/// custom-scheme mode, in which the engine has no cookies for pages.
public struct CookieOptions: Sendable {
    /// The cookie storage of the app that is synchronized with the cookies of pages, in all modes; `shared` by default.
    ///
    /// A login that the app makes with URLSession is part of the first navigation of a page, and cookies of pages reach
    /// the storage. The last change wins. The names, domains and attributes of the storage's cookies, without values,
    /// are in `native-cookies.json` in the container's folder, readable and writable only by the owner. With pages at
    /// the local server, `server-cookies.json` has the sites and the domains of their cookies.
    ///
    /// If the engine's storage is in memory or ``isPersistent`` is `false`, cookies of pages are session cookies in the
    /// storage, and there are no such files. Choose `none` if pages must not share their cookies with the app's
    /// requests, or in all but one of several containers of a process.
    public var native = NativeCookieStorage.shared
    /// A Boolean value that indicates whether a cookie that is missing from the storage at the start was removed by the
    /// app; `nil`, the default, for the value that the platform and the storage require.
    @_spi(Testing) public var reportsRemovals: Bool?
    /// A Boolean value that indicates whether cookies with an expiry outlive the process; `true` by default. The
    /// cookies of the jar are stored in `cookies.json` in the container's folder, readable and writable only by the
    /// owner.
    public var isPersistent = true
    /// A Boolean value that indicates whether third-party resources of a page may set cookies; `false` by default, as
    /// in Safari and WebKitGTK.
    public var acceptsThirdParties = false
    /// The limits on stored cookies; see `CookieStore.Limits` for the defaults.
    public var limits = CookieStore.Limits()

    /// The longest time for which opening a page waits for the synchronization of the stores; 3 seconds by default.
    /// After this time the page opens without synchronization.
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

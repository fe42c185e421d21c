// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar

/// The cookies of pages in custom-scheme mode, where the engine has none: how many, whether they last, and how they are
/// kept the same as those in the engine's store.
public struct CookieOptions: Sendable {
    /// Whether cookies with an expiry are there in the next launch; true by default. They lie in `cookies.json` in the
    /// container's folder, which only its user can read.
    public var isPersistent = true
    /// Whether parts of a page that come from other sites may leave cookies; false by default, as in the engines of this
    /// family.
    public var acceptsThirdParties = false
    /// How many are kept at most; see `CookieStore.Limits` for the defaults.
    public var limits = CookieStore.Limits()

    /// How long a page that opens waits at most until the engine's store and the container's have the same cookies; 3 seconds
    /// by default. The page then opens all the same.
    public var openLimit = Duration.seconds(3)
    /// The name of the request field that asks for the answer's cookies to be in the engine's store before the page sees the
    /// answer; `x-wkwebview-request-type` by default. It never leaves the container. `nil` for none.
    public var handOverField: String? = "x-wkwebview-request-type"
    /// How long such an answer waits at most; 2 seconds by default.
    public var handOverLimit = Duration.seconds(2)

    /// The default options.
    public init() {}
}

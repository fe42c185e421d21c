// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar

/// The cookies of pages in custom-scheme mode, where the engine has none: how many, and whether they last.
public struct CookieOptions: Sendable {
    /// Whether cookies with an expiry are there in the next launch; true by default. They lie in `cookies.json` in the
    /// container's folder, which only its user can read.
    public var isPersistent = true
    /// Whether parts of a page that come from other sites may leave cookies; false by default, as in the engines of this
    /// family.
    public var acceptsThirdParties = false
    /// How many are kept at most; see `CookieJar.Limits` for the defaults.
    public var limits = CookieJar.Limits()

    /// The default options.
    public init() {}
}

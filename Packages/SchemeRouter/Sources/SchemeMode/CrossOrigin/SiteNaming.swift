// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Says where sites begin (HTML, "same site"), which only a list of public suffixes can.
public protocol SiteNaming: Sendable {
    /// The registrable domain of a host, such as `shop.example` of `www.shop.example`; `nil` where it has none, as an address
    /// or a public suffix.
    /// - Parameter host: in lower case; an IPv6 address in brackets.
    func registrableDomain(of host: String) -> String?
}

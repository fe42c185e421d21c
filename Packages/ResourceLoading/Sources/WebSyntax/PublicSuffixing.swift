// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Finds the registrable domain of a host, which ends a site (HTML, "same site") and the reach of a cookie (RFC 6265bis,
/// section 5.7, step 9). `SuffixList` of the module PublicSuffixList knows Mozilla's list.
public protocol PublicSuffixing: Sendable {
    /// Returns the public suffix of a host and one label more, such as `shop.example` for `www.shop.example`.
    /// - Parameter host: in lower case and A-labels, perhaps with a trailing dot; or an address, IPv6 in brackets.
    /// - Returns: `nil` for a public suffix and for an address.
    func registrableDomain(of host: String) -> String?
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A source of registrable domains. The registrable domain defines a site (HTML, "same site") and limits the scope of
/// cookies (RFC 6265bis, section 5.7, step 9). `SuffixList` of the module PublicSuffixList implements it with
/// Mozilla's list.
public protocol PublicSuffixing: Sendable {
    /// Returns the registrable domain of a host, such as `shop.example` for `www.shop.example`: its public suffix and
    /// one more label.
    /// - Parameter host: a name in lowercase and A-labels, optionally with a trailing dot; or an address, IPv6 in
    ///   brackets.
    /// - Returns: `nil` for a public suffix and for an address.
    func registrableDomain(of host: String) -> String?
}

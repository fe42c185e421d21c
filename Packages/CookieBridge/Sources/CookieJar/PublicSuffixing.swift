// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Says where sites begin, so that no cookie reaches from one into another (RFC 6265bis, section 5.7, step 9).
///
/// The product PublicSuffixList brings Mozilla's list; neither target knows the other, and one line of the app makes it fit:
/// `extension SuffixList: @retroactive PublicSuffixing {}`.
public protocol PublicSuffixing: Sendable {
    /// The public suffix of a host and one label more.
    /// - Parameter host: in lower case and A-labels, perhaps with a trailing dot, or an address.
    /// - Returns: `nil` for a public suffix and for an address.
    func registrableDomain(of host: String) -> String?
}

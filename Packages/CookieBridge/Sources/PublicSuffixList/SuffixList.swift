// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebSyntax

/// Mozilla's public suffix list (<https://publicsuffix.org>), compiled in: under which names anybody can register a
/// name, so that cookies and sites end there.
///
/// A value without state: looking up takes a few microseconds, starting costs nothing. Names are host names in any case, of
/// A-labels or U-labels; the answer is spelled as the question was, in lower case. Nothing is a site that is no host
/// name: empty labels, a leading dot, addresses. A trailing dot is kept, and makes no difference.
///
/// U-labels are mapped by lower case and Unicode's normal form C alone, not by all of UTS #46: what comes out of a URL
/// parser is in A-labels anyway.
public struct SuffixList: PublicSuffixing, Hashable {
    /// Which rules count.
    public var section: Section

    /// Makes a view of the list; rules of registries and of private parties count unless told otherwise.
    public init(section: Section = .all) {
        self.section = section
    }

    /// The public suffix of a host and one label more: `shop.example.co.uk` gives `example.co.uk`.
    /// - Returns: `nil` for a public suffix, for an address, and for what is no host name.
    public func registrableDomain(of host: String) -> String? {
        guard let name = HostLabels(host) else { return nil }
        let count = suffixCount(of: name) + 1
        return name.count < count ? nil : name.spelling(ofLast: count)
    }

    /// The part of a host under which anybody can register names: `shop.example.co.uk` gives `co.uk`.
    /// - Returns: `nil` for an address, and for what is no host name.
    public func publicSuffix(of host: String) -> String? {
        guard let name = HostLabels(host) else { return nil }
        return name.spelling(ofLast: min(suffixCount(of: name), name.count))
    }

    /// Whether anybody can register names right below this one. An address is none.
    public func isPublicSuffix(_ host: String) -> Bool {
        guard let name = HostLabels(host) else { return false }
        return suffixCount(of: name) >= name.count
    }

    /// How many labels the public suffix has, by the rule that prevails: an exception, else the longest one that
    /// matches, else `*` (<https://github.com/publicsuffix/list/wiki/Format>).
    private func suffixCount(of name: HostLabels) -> Int {
        var longest = 1
        for labels in 1...min(name.count, CompiledRules.maxLabels) {
            let kinds = RuleTable.kinds(of: name.bytes(ofLast: labels), in: section)
            if kinds.contains(.exception) { return labels - 1 }
            if kinds.contains(.plain) { longest = max(longest, labels) }
            if kinds.contains(.wildcard), name.count > labels { longest = max(longest, labels + 1) }
        }
        return longest
    }
}

extension SuffixList {
    /// Which part of the list counts.
    public enum Section: Sendable, Hashable {
        /// What registries of the domain name system allot.
        case icann
        /// Those, and what others allot to their customers: `github.io`. Browsers bound cookies by both.
        case all
    }
}

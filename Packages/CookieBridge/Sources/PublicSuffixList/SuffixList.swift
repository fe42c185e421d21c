// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebSyntax

/// Mozilla's public suffix list (<https://publicsuffix.org>), compiled in. It contains the names under which anybody
/// can register a name. These names limit cookies and sites.
///
/// The value has no state. A lookup takes a few microseconds, and there is no start-up cost. Arguments are host names
/// in any case, with A-labels or U-labels; results keep that spelling in lower case. Text that is not a host name has
/// no site: empty labels, a leading dot, addresses. A trailing dot remains in the result and makes no other difference.
///
/// U-labels are mapped only by lower case and Unicode normal form C, not by all of UTS #46, because URL parsers produce
/// A-labels.
public struct SuffixList: PublicSuffixing, Hashable {
    /// Creates a view of the list. The rules of registries and of private parties apply, as in browsers.
    public init() {}

    /// Returns the public suffix of a host and one more label: `example.co.uk` for `shop.example.co.uk`.
    /// - Returns: `nil` for a public suffix, for an address, and for text that is not a host name.
    public func registrableDomain(of host: String) -> String? {
        guard let name = HostLabels(host) else { return nil }
        let count = suffixCount(of: name) + 1
        return name.count < count ? nil : name.spelling(ofLast: count)
    }

    /// Returns the number of labels of the public suffix, by the prevailing rule: an exception, otherwise the longest
    /// match, otherwise `*` (<https://github.com/publicsuffix/list/wiki/Format>).
    private func suffixCount(of name: HostLabels) -> Int {
        var longest = 1
        for labels in 1...min(name.count, CompiledRules.maxLabels) {
            let kinds = RuleTable.kinds(of: name.bytes(ofLast: labels))
            if kinds.contains(.exception) { return labels - 1 }
            if kinds.contains(.plain) { longest = max(longest, labels) }
            if kinds.contains(.wildcard), name.count > labels { longest = max(longest, labels + 1) }
        }
        return longest
    }
}

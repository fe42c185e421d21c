// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// A host name taken apart, as it is spelled and as it is looked up.
struct HostLabels {
    /// In lower case, without the trailing dot.
    private let spellings: [Substring]
    /// In A-labels, joined by dots, without the trailing dot.
    private let ascii: [UInt8]
    /// Where each label begins in `ascii`.
    private let starts: [Int]
    private let end: String

    /// The most that the domain name system can say, and what U-labels of that may take.
    private static let maxBytes = 1_024

    /// - Returns: `nil` for what is no host name: empty labels, an address, more than 253 bytes in A-labels.
    init?(_ host: String) {
        guard (1...Self.maxBytes).contains(host.utf8.count) else { return nil }
        let isASCII = host.utf8.allSatisfy { $0 < 0x80 }
        var text = isASCII ? host.lowercased() : Self.mapped(host)
        end = text.utf8.last == UInt8(ascii: ".") ? "." : ""
        if !end.isEmpty { text.removeLast() }
        var spellings: [Substring] = []
        var ascii: [UInt8] = []
        var starts: [Int] = []
        for label in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard !label.isEmpty else { return nil }
            if !starts.isEmpty { ascii.append(UInt8(ascii: ".")) }
            starts.append(ascii.count)
            spellings.append(Substring(label))
            if label.allSatisfy({ $0 < 0x80 }) {
                guard label.allSatisfy(Self.isAllowed) else { return nil }
                ascii += label
            } else {
                guard let encoded = Punycode.encode(Substring(label).unicodeScalars) else { return nil }
                ascii += "xn--".utf8
                ascii += encoded
            }
        }
        guard let last = starts.last, ascii.count <= 253, !Self.isNumber(ascii[last...]) else { return nil }
        self.spellings = spellings
        self.ascii = ascii
        self.starts = starts
    }

    var count: Int { starts.count }

    /// The last labels of the name, as they are looked up.
    func bytes(ofLast labels: Int) -> ArraySlice<UInt8> {
        ascii[starts[starts.count - labels]...]
    }

    /// The last labels of the name, as they are spelled.
    func spelling(ofLast labels: Int) -> String {
        spellings.suffix(labels).joined(separator: ".") + end
    }

    /// Lower case and normal form C, with the full stops of other scripts as dots (UTS #46, section 2.3).
    private static func mapped(_ host: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in host.lowercased().precomposedStringWithCanonicalMapping.unicodeScalars {
            text.append(["\u{3002}", "\u{FF0E}", "\u{FF61}"].contains(scalar) ? "." : scalar)
        }
        return String(text)
    }

    /// What a label may consist of, besides letters beyond ASCII: also the underscore, which hosts have, and rules have not.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether a last label makes the host an address, or a broken one (URL Standard, "ends in a number").
    private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        if label.starts(with: "0x".utf8) {
            return label.dropFirst(2).allSatisfy { isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
        }
        return label.allSatisfy(isDigit)
    }
}

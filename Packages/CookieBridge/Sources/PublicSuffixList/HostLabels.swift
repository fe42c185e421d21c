// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebSyntax

/// The labels of a host name, in their original spelling and as A-labels for lookup.
struct HostLabels {
    /// The labels in lower case, without the trailing dot.
    private let spellings: [Substring]
    /// The A-labels, joined by dots, without the trailing dot.
    private let ascii: [UInt8]
    /// The start of each label in `ascii`.
    private let starts: [Int]
    private let end: String

    /// The maximum length of the input, in bytes: enough for the U-labels of a name of 253 bytes.
    private static let maxBytes = 1_024

    /// Creates the labels of a host name.
    /// - Returns: `nil` if the text is not a host name: empty labels, an address, or more than 253 bytes as A-labels.
    init?(_ host: String) {
        guard (1...Self.maxBytes).contains(host.utf8.count) else { return nil }
        let isASCII = host.utf8.allSatisfy { $0 < 0x80 }
        var text = isASCII ? host.lowercased() : Self.mapped(host)
        end = text.utf8.last == UInt8(ascii: ".") ? "." : ""
        if !end.isEmpty { text.removeLast() }
        let spellings = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        // Foundation converts other characters to A-labels (UTS #46). It percent-encodes characters that it cannot map,
        // and percent signs are refused below.
        guard let name = isASCII ? text : Self.encoded(text) else { return nil }
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count == spellings.count else { return nil }
        var ascii: [UInt8] = []
        var starts: [Int] = []
        for label in labels {
            guard !label.isEmpty, label.allSatisfy(Self.isAllowed) else { return nil }
            if !starts.isEmpty { ascii.append(UInt8(ascii: ".")) }
            starts.append(ascii.count)
            ascii += label
        }
        guard let last = starts.last, ascii.count <= 253, !HostSyntax.endsInNumber(ascii[last...]) else { return nil }
        self.spellings = spellings
        self.ascii = ascii
        self.starts = starts
    }

    var count: Int { starts.count }

    /// Returns the last labels of the name for lookup.
    func bytes(ofLast labels: Int) -> ArraySlice<UInt8> {
        ascii[starts[starts.count - labels]...]
    }

    /// Returns the last labels of the name in their original spelling.
    func spelling(ofLast labels: Int) -> String {
        spellings.suffix(labels).joined(separator: ".") + end
    }

    /// Returns the host in lower case and normal form C, with the full stops of other scripts as dots (UTS #46, section
    /// 2.3).
    private static func mapped(_ host: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in host.lowercased().precomposedStringWithCanonicalMapping.unicodeScalars {
            text.append(["\u{3002}", "\u{FF0E}", "\u{FF61}"].contains(scalar) ? "." : scalar)
        }
        return String(text)
    }

    private static func encoded(_ host: String) -> String? {
        var components = URLComponents()
        components.scheme = "https"
        components.host = host
        return components.encodedHost
    }

    /// Returns a Boolean value that indicates whether a byte may occur in an A-label. Underscores are allowed, because
    /// host names contain them; the rules contain none.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIILowercase || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// A domain name in the form of DNS messages, in lower case (RFC 1035, section 3.1; RFC 4343).
///
/// The octets of a name can have any value (RFC 2181, section 11). Only ``init(host:)`` limits them.
struct DomainName: Sendable, Hashable, CustomStringConvertible {
    /// The maximum number of octets, with the length octets and the root (RFC 1035, section 2.3.4).
    static let maxOctets = 255
    /// The maximum number of octets of a label (RFC 1035, section 2.3.4).
    static let maxLabelOctets = 63
    /// The name of the root.
    static let root = DomainName(octets: [0])

    /// The labels, each after its length, and the length zero of the root.
    let octets: [UInt8]

    /// Creates a name from its labels.
    /// - Parameter octets: the labels, each after its length, and the length zero of the root; the caller has checked
    ///   the limits.
    init(octets: [UInt8]) {
        // A length is at most 63 and therefore not an uppercase letter.
        self.octets = octets.map(\.asciiLowercased)
    }

    /// Creates the name of a host. A trailing dot has no meaning.
    /// - Parameter host: a host of unreserved characters (RFC 3986, section 2.3), as engines serialize it.
    /// - Throws: ``NameResolutionError`` with code `invalidName` for an address, an empty or too long label, a name of
    ///   more than 255 octets, and other characters.
    init(host: String) throws(NameResolutionError) {
        var name = Substring(host).utf8
        if name.last == UInt8(ascii: ".") { name = name.dropLast() }
        var octets: [UInt8] = []
        for label in name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard (1...Self.maxLabelOctets).contains(label.count), label.allSatisfy(ASCIISet.unreserved.contains) else {
                throw NameResolutionError(.invalidName, "not the name of a host", at: host)
            }
            octets.append(UInt8(label.count))
            octets.append(contentsOf: label)
        }
        octets.append(0)
        guard octets.count <= Self.maxOctets, !HostSyntax.endsInNumber(name) else {
            throw NameResolutionError(.invalidName, "not the name of a host", at: host)
        }
        self.init(octets: octets)
    }

    /// A Boolean value that indicates whether the name is another name or lies below it.
    func isAtOrBelow(_ other: DomainName) -> Bool {
        var start = 0
        while octets.count - start > other.octets.count { start += Int(octets[start]) + 1 }
        return octets[start...].elementsEqual(other.octets)
    }

    /// The name without the final dot. Dots in labels and other octets than visible ASCII are escaped (RFC 1035,
    /// section 5.1). The root is `.`.
    var description: String {
        var text = ""
        var start = 0
        while start < octets.count, octets[start] > 0 {
            let end = start + 1 + Int(octets[start])
            if start > 0 { text += "." }
            for octet in octets[(start + 1)..<end] {
                if octet == UInt8(ascii: ".") || octet == UInt8(ascii: "\\") {
                    text += "\\"
                } else if !ASCIISet.visible.contains(octet) {
                    let digits = String(octet)
                    text += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
                    continue
                }
                text.unicodeScalars.append(Unicode.Scalar(octet))
            }
            start = end
        }
        return text.isEmpty ? "." : text
    }
}

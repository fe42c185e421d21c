// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// An IPv6 address without brackets and without a zone. A zone is meaningful on one machine only.
public struct IPv6Address: Sendable, Hashable, CustomStringConvertible {
    private let pieces: SIMD8<UInt16>

    /// Parses an address (URL Standard, IPv6 parser; RFC 4291, section 2.2).
    /// - Returns: `nil` for other texts.
    public init?(_ text: some Collection<UInt8>) {
        var pieces = SIMD8<UInt16>()
        var count = 0
        var compressed: Int?
        var rest = text[...]
        if rest.first == UInt8(ascii: ":") {
            guard rest.dropFirst().first == UInt8(ascii: ":") else { return nil }
            rest = rest.dropFirst(2)
            compressed = 0
        }
        while let first = rest.first {
            guard count < 8 else { return nil }
            if first == UInt8(ascii: ":") {
                guard compressed == nil else { return nil }
                rest = rest.dropFirst()
                compressed = count
                continue
            }
            let digits = rest.prefix { $0.hexDigitValue != nil }
            let tail = rest[digits.endIndex...]
            if tail.first == UInt8(ascii: ".") {
                // The last 32 bits can be written as an IPv4 address.
                guard count <= 6, let parts = Self.ipv4(rest) else { return nil }
                pieces[count] = parts.0
                pieces[count + 1] = parts.1
                count += 2
                rest = rest[rest.endIndex...]
                break
            }
            guard (1...4).contains(digits.count) else { return nil }
            pieces[count] = digits.reduce(0) { $0 << 4 | UInt16($1.hexDigitValue ?? 0) }
            count += 1
            rest = tail
            guard let next = rest.popFirst() else { break }
            guard next == UInt8(ascii: ":"), !rest.isEmpty else { return nil }
        }
        if let compressed {
            guard count < 8 else { return nil }
            // Moves the pieces after the compressed run to the end.
            let moved = count - compressed
            var whole = SIMD8<UInt16>()
            for index in 0..<compressed { whole[index] = pieces[index] }
            for index in 0..<moved { whole[8 - moved + index] = pieces[compressed + index] }
            pieces = whole
        } else if count != 8 {
            return nil
        }
        self.pieces = pieces
    }

    /// Creates an address from its octets in network order.
    /// - Returns: `nil` unless there are 16 octets.
    public init?(octets: some Collection<UInt8>) {
        guard octets.count == 16 else { return nil }
        var pieces = SIMD8<UInt16>()
        for (index, octet) in octets.enumerated() { pieces[index / 2] = pieces[index / 2] << 8 | UInt16(octet) }
        self.pieces = pieces
    }

    /// The 16 octets of the address in network order.
    public var octets: [UInt8] {
        (0..<8).flatMap { [UInt8(truncatingIfNeeded: pieces[$0] >> 8), UInt8(truncatingIfNeeded: pieces[$0])] }
    }

    /// The address in its shortest form (RFC 5952, section 4; URL Standard, IPv6 serializer): the first longest run of
    /// two or more zeros is replaced with `::`.
    public var description: String {
        var best = 0..<1
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, pieces[end] == 0 { end += 1 }
            if end - start > best.count { best = start..<end }
            start = end + 1
        }
        let text = { (range: Range<Int>) in
            range.map { String(pieces[$0], radix: 16) }.joined(separator: ":")
        }
        return best.count < 2 ? text(0..<8) : "\(text(0..<best.lowerBound))::\(text(best.upperBound..<8))"
    }

    private static func ipv4(_ text: some Collection<UInt8>) -> (UInt16, UInt16)? {
        guard HostSyntax.isIPv4Address(text) else { return nil }
        let parts = text.split(separator: UInt8(ascii: ".")).compactMap { UInt16(decimalDigits: $0) }
        guard parts.count == 4 else { return nil }
        return (parts[0] << 8 | parts[1], parts[2] << 8 | parts[3])
    }
}

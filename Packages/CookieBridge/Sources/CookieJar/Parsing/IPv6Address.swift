// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// An address of eight pieces, written as the URL Standard does.
struct IPv6Address: CustomStringConvertible {
    private let pieces: [UInt16]

    /// - Returns: `nil` for no address, and for one with a zone, which means nothing elsewhere.
    init?(_ text: String) {
        guard text.utf8.count <= 45, text.utf8.allSatisfy({ $0 != 0 && $0 != UInt8(ascii: "%") }) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
        pieces = (0..<8).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }
    }

    /// The first longest run of two or more zeros is left out (RFC 5952, section 4.2).
    var description: String {
        var best = 0..<1
        var start = 0
        while start < 8 {
            let end = pieces[start...].firstIndex { $0 != 0 } ?? 8
            if end - start > best.count { best = start..<end }
            start = end + 1
        }
        let text = { (range: Range<Int>) in pieces[range].map { String($0, radix: 16) }.joined(separator: ":") }
        return best.count < 2 ? text(0..<8) : "\(text(0..<best.lowerBound))::\(text(best.upperBound..<8))"
    }
}

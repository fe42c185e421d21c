// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A set of ASCII bytes, stored in 128 bits. The sets of the standards are constants.
public struct ASCIISet: Sendable, Hashable {
    @usableFromInline
    let low: UInt64
    @usableFromInline
    let high: UInt64

    /// Creates a set from its bits.
    /// - Parameters:
    ///   - low: the bytes 0 to 63, the lowest bit first.
    ///   - high: the bytes 64 to 127, the lowest bit first.
    @inlinable
    init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Returns a Boolean value that indicates whether the byte is in the set. The result is `false` for bytes from
    /// 0x80 on.
    @inlinable @inline(__always)
    public func contains(_ byte: UInt8) -> Bool {
        byte < 0x80 && (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 == 1
    }

    /// All ASCII bytes.
    @inlinable
    public static var all: ASCIISet { ASCIISet(low: .max, high: .max) }

    /// The bytes of a token (RFC 9110, section 5.6.2).
    @inlinable
    public static var token: ASCIISet { ASCIISet(low: 0x03ff_6cfa_0000_0000, high: 0x57ff_ffff_c7ff_fffe) }

    /// The unreserved characters (RFC 3986, section 2.3): letters, digits, `-`, `.`, `_` and `~`.
    @inlinable
    public static var unreserved: ASCIISet { ASCIISet(low: 0x03ff_6000_0000_0000, high: 0x47ff_fffe_87ff_fffe) }

    /// The bytes of a path that need no escape: those of `pchar` and the slash (RFC 3986, appendix A).
    @inlinable
    public static var path: ASCIISet { ASCIISet(low: 0x2fff_ffd2_0000_0000, high: 0x47ff_fffe_87ff_ffff) }

    /// The bytes of a path, a query or a fragment that need no escape (RFC 3986, appendix A): those of a path and the
    /// question mark.
    @inlinable
    public static var query: ASCIISet { ASCIISet(low: 0xafff_ffd2_0000_0000, high: 0x47ff_fffe_87ff_ffff) }

    /// The visible bytes, 0x21 to 0x7E.
    @inlinable
    public static var visible: ASCIISet { ASCIISet(low: 0xffff_fffe_0000_0000, high: 0x7fff_ffff_ffff_ffff) }

    /// The bytes that the URL parser leaves unescaped in a path: those outside of the path percent-encode set (URL
    /// Standard, section 1.3). The question mark is in the set, and ends the path.
    @inlinable
    static var unescapedInPath: ASCIISet { ASCIISet(low: 0x2fff_fff2_0000_0000, high: 0x57ff_fffe_bfff_ffff) }

    /// The bytes that the URL parser leaves unescaped in the query of an `http` or `https` URL: those outside of the
    /// special-query percent-encode set (URL Standard, section 1.3).
    @inlinable
    static var unescapedInQuery: ASCIISet { ASCIISet(low: 0xafff_ff72_0000_0000, high: 0x7fff_ffff_ffff_ffff) }

    /// The bytes that the URL parser leaves unescaped in a fragment: those outside of the fragment percent-encode set
    /// (URL Standard, section 1.3), without the number sign.
    @inlinable
    static var unescapedInFragment: ASCIISet { ASCIISet(low: 0xafff_fffa_0000_0000, high: 0x7fff_fffe_ffff_ffff) }
}

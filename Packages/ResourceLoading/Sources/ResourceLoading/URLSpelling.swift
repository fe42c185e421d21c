// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The spelling of URLs that Foundation takes as it is.
///
/// Engines leave letters as they are that RFC 3986 wants encoded, such as `|` and, in a query, `[`. `URL` encodes
/// them, but with all escapes that stand in the same part: `a|%20` becomes `a%7C%2520`, which is another URL.
public enum URLSpelling {
    /// Encodes what may not stand in the path, the query or the fragment as it is, and nothing else. The authority
    /// and valid escapes stay.
    /// - Parameter url: absolute, or a reference relative to another URL.
    public static func strict(_ url: some StringProtocol) -> String {
        let bytes = Array(url.utf8)
        let start = hierarchyStart(of: bytes)
        guard needsEncoding(bytes, from: start) else { return String(url) }
        var result = Array(bytes[..<start])
        var isFragment = false
        for index in start..<bytes.count {
            let byte = bytes[index]
            if mayStand(byte) || (byte == UInt8(ascii: "#") && !isFragment) || isEscape(bytes, at: index) {
                isFragment = isFragment || byte == UInt8(ascii: "#")
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 0xf)]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// RFC 3986, section 3.1.
    static func isScheme(_ text: some Collection<UInt8>) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard let first = text.first, letters.contains(first | 0x20) else { return false }
        return text.allSatisfy { byte in
            letters.contains(byte | 0x20) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
    }

    /// Where the path begins: after the authority, if there is one.
    private static func hierarchyStart(of bytes: [UInt8]) -> Int {
        let isSeparator = { (byte: UInt8) in "/?#".utf8.contains(byte) }
        let firstSeparator = bytes.firstIndex(where: isSeparator) ?? bytes.count
        guard bytes[firstSeparator...].starts(with: "//".utf8),
            firstSeparator == 0 || bytes[firstSeparator - 1] == UInt8(ascii: ":")
        else { return 0 }
        return bytes[(firstSeparator + 2)...].firstIndex(where: isSeparator) ?? bytes.count
    }

    private static func needsEncoding(_ bytes: [UInt8], from start: Int) -> Bool {
        var isFragment = false
        for index in start..<bytes.count where !mayStand(bytes[index]) {
            if bytes[index] == UInt8(ascii: "#"), !isFragment {
                isFragment = true
            } else if !isEscape(bytes, at: index) {
                return true
            }
        }
        return false
    }

    /// The letters of `pchar`, and the separators of path and query (RFC 3986, appendix A).
    private static func mayStand(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~!$&'()*+,;=:@/?".utf8.contains(byte)
        }
    }

    private static func isEscape(_ bytes: [UInt8], at index: Int) -> Bool {
        bytes[index] == UInt8(ascii: "%") && index + 2 < bytes.count && isHexDigit(bytes[index + 1])
            && isHexDigit(bytes[index + 2])
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

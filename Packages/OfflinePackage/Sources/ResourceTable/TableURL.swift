// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import ResourceLoading

/// A URL as the resource table compares it: the `#fragment` is ignored, the query counts.
///
/// Scheme and host are in lower case, the scheme's own port and an empty path make no difference, and letters that no
/// URL may hold are percent-encoded as an engine sends them. So the text is ASCII, and equal texts are equal bytes.
/// Escapes stay as they are: `%C3` and `%c3` are two URLs, as they are to the server.
public struct TableURL: Sendable, Hashable, CustomStringConvertible {
    /// An absolute `http` or `https` URL without a fragment.
    public let description: String

    /// Takes an absolute URL; `nil` where it is none, is not `http` or `https`, or names a user.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let url = text.withUTF8({ TableURL(utf8: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = url
    }

    /// The URL of a request.
    public init?(_ request: HTTPRequest) {
        self.init(request.urlText)
    }

    /// - Parameter bytes: valid UTF-8.
    @inline(__always)
    init?(utf8 bytes: UnsafeRawBufferPointer) {
        if Self.isPlain(bytes) {
            description = String(decoding: bytes, as: UTF8.self)
        } else if let text = Self.normalise(bytes) {
            description = text
        } else {
            return nil
        }
    }

    /// Whether this is the normal form already, with a host of lower-case letters and no port: nearly all are.
    private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count > 8, bytes[0] == UInt8(ascii: "h"), bytes[1] == UInt8(ascii: "t"),
            bytes[2] == UInt8(ascii: "t"), bytes[3] == UInt8(ascii: "p")
        else { return false }
        var index = bytes[4] == UInt8(ascii: "s") ? 5 : 4
        guard bytes[index] == UInt8(ascii: ":"), bytes[index + 1] == UInt8(ascii: "/"),
            bytes[index + 2] == UInt8(ascii: "/")
        else { return false }
        index += 3
        let host = index
        while index < bytes.count, Letters.plainHost.contains(bytes[index]) { index += 1 }
        guard index > host, index < bytes.count, bytes[index] == UInt8(ascii: "/") else { return false }
        while index < bytes.count {
            let byte = bytes[index]
            guard Letters.url.contains(byte) else { return false }
            // An escape must be whole.
            if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.count, Letters.hexadecimal.contains(bytes[index + 1]),
                    Letters.hexadecimal.contains(bytes[index + 2])
                else { return false }
            }
            index += 1
        }
        return true
    }

    private static func normalise(_ bytes: UnsafeRawBufferPointer) -> String? {
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        let isSecure: Bool
        let authorityStart: Int
        if hasPrefix(bytes, "https://") {
            (isSecure, authorityStart) = (true, 8)
        } else if hasPrefix(bytes, "http://") {
            (isSecure, authorityStart) = (false, 7)
        } else {
            return nil
        }
        guard authorityStart < end else { return nil }
        let hierarchy = bytes[authorityStart..<end]
        let authorityEnd = hierarchy.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? end
        guard let authority = authority(bytes[authorityStart..<authorityEnd], isSecure: isSecure) else { return nil }
        var text = (isSecure ? "https://" : "http://") + authority
        let rest = String(decoding: bytes[authorityEnd..<end], as: UTF8.self)
        if rest.utf8.first != UInt8(ascii: "/") { text += "/" }
        return URLSpelling.strict(text + rest)
    }

    /// Host and port, in lower case; without the port where it is the scheme's own.
    private static func authority(_ bytes: Slice<UnsafeRawBufferPointer>, isSecure: Bool) -> String? {
        var host = bytes
        var port: Int?
        if let colon = bytes.lastIndex(of: UInt8(ascii: ":")), !bytes[colon...].contains(UInt8(ascii: "]")) {
            let digits = bytes[(colon + 1)...]
            guard digits.count <= 5, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
                return nil
            }
            // A colon without digits means the scheme's own port (RFC 3986, 3.2.3).
            port = Int(String(decoding: digits, as: UTF8.self))
            guard port ?? 0 <= 65_535 else { return nil }
            host = bytes[..<colon]
        }
        guard !host.isEmpty, isHost(host) else { return nil }
        let text = String(decoding: host, as: UTF8.self).lowercased()
        guard let port, port != (isSecure ? 443 : 80) else { return text }
        return "\(text):\(port)"
    }

    /// A name, or an IPv6 address in brackets.
    private static func isHost(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard bytes.first == UInt8(ascii: "[") else {
            return bytes.allSatisfy { Letters.plainHost.contains($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")) ~= $0 }
        }
        return bytes.last == UInt8(ascii: "]") && bytes.count > 2
            && bytes.dropFirst().dropLast().allSatisfy {
                Letters.hexadecimal.contains($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
            }
    }

    private static func hasPrefix(_ bytes: UnsafeRawBufferPointer, _ prefix: StaticString) -> Bool {
        let letters = UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
        // Setting that bit changes neither `:` nor `/`.
        return bytes.count >= letters.count && zip(bytes, letters).allSatisfy { $0 | 0x20 == $1 }
    }
}

/// A set of ASCII letters.
private struct Letters {
    private let low: UInt64
    private let high: UInt64

    /// What may stand in path and query as it is (RFC 3986, appendix A), and the start of an escape.
    static let url = Letters(alphanumerics: true, "-._~!$&'()*+,;=:@/?%")
    static let plainHost = Letters("abcdefghijklmnopqrstuvwxyz0123456789.-_")
    static let hexadecimal = Letters("0123456789abcdefABCDEF")

    private init(alphanumerics: Bool = false, _ letters: String) {
        let all = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        var words: (UInt64, UInt64) = (0, 0)
        for byte in (alphanumerics ? all + letters : letters).utf8 {
            if byte < 64 { words.0 |= 1 << UInt64(byte) } else { words.1 |= 1 << UInt64(byte & 63) }
        }
        (low, high) = words
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// A normalized URL for comparison in a resource table. The fragment is ignored, the query is significant.
///
/// Scheme and host are in lower case. The default port and an empty path make no difference. Characters that a URL
/// must not contain are percent-encoded as an engine sends them, so the text is ASCII and equal texts have equal
/// bytes. Percent escapes are kept, so that a download is requested as the table spells it; see ``normalized``.
public struct TableURL: Sendable, Hashable, CustomStringConvertible {
    /// An absolute `http` or `https` URL without a fragment.
    public let description: String

    /// Creates a URL from text. Returns `nil` if it is not an absolute `http` or `https` URL, or contains a user.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let url = text.withUTF8({ TableURL(utf8: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = url
    }

    /// Creates the URL of a request.
    public init?(_ request: HTTPRequest) {
        self.init(request.urlText)
    }

    /// Creates a URL from bytes.
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

    private init(description: String) {
        self.description = description
    }

    /// The URL with normalized percent escapes in its path and query, for the comparison of a request with the URL of
    /// an entry.
    ///
    /// Escapes have digits in upper case, and escapes of unreserved characters are decoded (RFC 3986, sections 6.2.2.1
    /// and 6.2.2.2). Reserved characters and their escapes stay different: `%2F` is not `/`.
    package var normalized: TableURL {
        guard description.utf8.contains(UInt8(ascii: "%")) else { return self }
        let bytes = Array(description.utf8)
        // The text is `scheme://authority/…`.
        let path = bytes.indices.filter { bytes[$0] == UInt8(ascii: "/") }.dropFirst(2).first ?? bytes.count
        var result = Array(bytes[..<path])
        result.reserveCapacity(bytes.count)
        var index = path
        while index < bytes.count {
            guard let byte = PercentEncoding.escapedByte(in: bytes, at: index) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            if ASCIISet.unreserved.contains(byte) {
                result.append(byte)
            } else {
                PercentEncoding.appendEscape(of: byte, to: &result)
            }
            index += 3
        }
        return TableURL(description: String(decoding: result, as: UTF8.self))
    }

    /// Returns a Boolean value that indicates whether the bytes are already normalized, as nearly all URLs are.
    ///
    /// Only URLs with a host of unreserved lower-case characters and without a port are recognized.
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
        while index < bytes.count, ASCIISet.unreserved.contains(bytes[index]), !bytes[index].isASCIIUppercase {
            index += 1
        }
        guard index > host, index < bytes.count, bytes[index] == UInt8(ascii: "/") else { return false }
        while index < bytes.count {
            let byte = bytes[index]
            // A percent escape must be complete.
            guard ASCIISet.query.contains(byte) || PercentEncoding.escapedByte(in: bytes, at: index) != nil else {
                return false
            }
            index += 1
        }
        return true
    }

    private static func normalise(_ bytes: UnsafeRawBufferPointer) -> String? {
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        let isSecure: Bool
        let authorityStart: Int
        if bytes.startsIgnoringCase("https://") {
            (isSecure, authorityStart) = (true, 8)
        } else if bytes.startsIgnoringCase("http://") {
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

    /// Returns host and port in lower case, without the default port.
    private static func authority(_ bytes: Slice<UnsafeRawBufferPointer>, isSecure: Bool) -> String? {
        guard let authority = Authority(bytes) else { return nil }
        let text = String(decoding: authority.host, as: UTF8.self).asciiLowercased
        // A colon without digits means the scheme's default port (RFC 3986, section 6.2.3).
        guard let port = authority.port, port != (isSecure ? 443 : 80) else { return text }
        return "\(text):\(port)"
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import WebSyntax

/// The URL of a request for the lookup in packages: origin and path, without query and fragment.
///
/// Equality follows the meaning of the parts: the case of scheme and host, a default port and needless percent escapes
/// make no difference. A URL with a user is not a package URL. Neither is a URL whose path has an escaped slash, a NUL,
/// an invalid escape or bytes that are not UTF-8.
@_spi(Packaging) public struct PackageURL: Sendable, Hashable {
    /// The origin, `https://host` or `https://host:port`, in lower case and without a default port.
    public let origin: String
    /// The path, percent-decoded once. It begins with a slash.
    public let path: String

    /// Creates the URL of a request, or returns `nil` if it has no scheme or authority or is not a package URL.
    public init?(_ request: HTTPRequest) {
        guard let scheme = request.scheme, let authority = request.authority else { return nil }
        self.init(scheme: scheme[...], authority: authority[...], rest: (request.path ?? "/")[...])
    }

    /// Creates a package URL from an absolute URL, or returns `nil`.
    public init?(_ url: String) {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = url[url.index(after: colon)...]
        guard rest.utf8.starts(with: "//".utf8) else { return nil }
        let hierarchy = rest.dropFirst(2)
        let authorityEnd = hierarchy.utf8.firstIndex(where: Self.endsAuthority) ?? hierarchy.endIndex
        self.init(
            scheme: url[..<colon], authority: hierarchy[..<authorityEnd], rest: hierarchy[authorityEnd...])
    }

    /// Returns a Boolean value that indicates whether both URLs have the same bytes.
    public static func == (one: PackageURL, other: PackageURL) -> Bool {
        one.path.hasSameBytes(as: other.path) && one.origin.hasSameBytes(as: other.origin)
    }

    /// Hashes the bytes of origin and path.
    public func hash(into hasher: inout Hasher) {
        origin.hashBytes(into: &hasher)
        path.hashBytes(into: &hasher)
    }

    /// Returns a Boolean value that indicates whether a URL lies below this URL, which ends in a slash.
    public func isPrefix(of url: PackageURL) -> Bool {
        url.origin == origin && url.path.utf8.starts(with: path.utf8)
    }

    /// Returns the part of the path that follows the path of `base`, which must be a prefix of this URL.
    public func path(below base: PackageURL) -> String {
        String(path.utf8.dropFirst(base.path.utf8.count)) ?? ""
    }

    /// Returns the path of the file below the path of `base`, which must be a prefix of this URL.
    ///
    /// An empty path and one that ends in a slash mean the `index.html` of the folder.
    public func filePath(below base: PackageURL) -> String {
        let path = path(below: base)
        return path.isEmpty || path.utf8.last == UInt8(ascii: "/") ? path + "index.html" : path
    }

    /// The same URL with a slash at the end, or `nil` if it has one already.
    public var asFolder: PackageURL? {
        path.utf8.last == UInt8(ascii: "/") ? nil : PackageURL(origin: origin, path: path + "/")
    }

    private init(origin: String, path: String) {
        self.origin = origin
        self.path = path
    }

    private init?(scheme: Substring, authority: Substring, rest: Substring) {
        guard let origin = Self.origin(scheme: scheme, authority: authority) else { return nil }
        let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
        let path = rest[..<end]
        guard path.isEmpty || path.utf8.first == UInt8(ascii: "/") else { return nil }
        guard let decoded = path.isEmpty ? "/" : Self.decode(path) else { return nil }
        self.origin = origin
        self.path = decoded
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static func origin(scheme: Substring, authority: Substring) -> String? {
        let isSecure: Bool
        if scheme.utf8.equalsIgnoringCase("https") {
            isSecure = true
        } else if scheme.utf8.equalsIgnoringCase("http") {
            isSecure = false
        } else {
            return nil
        }
        // A colon without digits means the scheme's default port (RFC 3986, section 6.2.3).
        guard let authority = Authority(authority.utf8) else { return nil }
        let start: StaticString = isSecure ? "https://" : "http://"
        let origin = String(unsafeUninitializedCapacity: start.utf8CodeUnitCount + authority.host.count) { buffer in
            let startBytes = UnsafeBufferPointer(start: start.utf8Start, count: start.utf8CodeUnitCount)
            var end = buffer.update(fromContentsOf: startBytes)
            for byte in authority.host {
                buffer[end] = byte.asciiLowercased
                end += 1
            }
            return end
        }
        guard let port = authority.port, port != (isSecure ? 443 : 80) else { return origin }
        return "\(origin):\(port)"
    }

    /// Decodes percent escapes once, or returns `nil` if the result is not a plain path.
    private static func decode(_ path: Substring) -> String? {
        guard path.utf8.contains(UInt8(ascii: "%")) else {
            return path.utf8.contains(0) ? nil : String(path)
        }
        // An escaped slash must not become a separator, because the server did not treat it as one.
        guard let bytes = PercentEncoding.decode(path.utf8), !bytes.contains(0),
            bytes.lazy.filter({ $0 == UInt8(ascii: "/") }).count
                == path.utf8.lazy.filter({ $0 == UInt8(ascii: "/") }).count
        else { return nil }
        return String(validUTF8: bytes)
    }
}

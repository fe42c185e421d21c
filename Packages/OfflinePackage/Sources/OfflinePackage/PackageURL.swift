// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes

/// The URL of a request as packages see it: origin and path, without query and fragment.
///
/// Compared by what the parts mean: case of scheme and host, a default port and needless escapes make no
/// difference. What has no plain meaning as a path of files (an escaped slash or NUL, a broken escape, bytes
/// that are no UTF-8) or names a user is no package URL.
struct PackageURL: Sendable, Hashable {
    /// `https://host` or `https://host:port`, in lower case, without the scheme's own port.
    let origin: String
    /// Begins with a slash; percent-decoded once.
    let path: String

    init?(_ request: HTTPRequest) {
        guard let scheme = request.scheme, let authority = request.authority else { return nil }
        self.init(scheme: scheme[...], authority: authority[...], rest: (request.path ?? "/")[...])
    }

    /// Takes an absolute URL.
    init?(_ url: String) {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = url[url.index(after: colon)...]
        guard rest.utf8.starts(with: "//".utf8) else { return nil }
        let hierarchy = rest.dropFirst(2)
        let authorityEnd = hierarchy.utf8.firstIndex(where: Self.endsAuthority) ?? hierarchy.endIndex
        self.init(
            scheme: url[..<colon], authority: hierarchy[..<authorityEnd], rest: hierarchy[authorityEnd...])
    }

    /// Whether a URL lies under this one, which ends in a slash.
    func isPrefix(of url: PackageURL) -> Bool {
        url.origin == origin && url.path.utf8.starts(with: path.utf8)
    }

    /// What follows the path of a URL that is a prefix of this one.
    func path(below base: PackageURL) -> String {
        String(path.utf8.dropFirst(base.path.utf8.count)) ?? ""
    }

    /// The same with a slash at its end; `nil` where it has one.
    var asFolder: PackageURL? {
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
        if isEqual(scheme, "https") {
            isSecure = true
        } else if isEqual(scheme, "http") {
            isSecure = false
        } else {
            return nil
        }
        let bytes = authority.utf8
        var host = bytes
        var port: Int?
        if let colon = bytes.lastIndex(of: UInt8(ascii: ":")), bytes[colon...].allSatisfy({ $0 != UInt8(ascii: "]") }) {
            let digits = bytes[bytes.index(after: colon)...]
            guard digits.count <= 5, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
                return nil
            }
            // A colon without digits means the scheme's own port (RFC 3986, 3.2.3).
            port = digits.isEmpty ? nil : Int(Substring(digits))
            host = bytes[..<colon]
        }
        guard isHost(host) else { return nil }
        var origin = isSecure ? "https://" : "http://"
        if host.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) {
            origin += Substring(host).lowercased()
        } else {
            origin += Substring(host)
        }
        if let port, port != (isSecure ? 443 : 80) { origin += ":\(port)" }
        return origin
    }

    /// Whether these bytes can be a name, or an address in brackets: a second colon would make two hosts look the same.
    private static func isHost(_ bytes: Substring.UTF8View) -> Bool {
        var name = bytes
        let isAddress = name.first == UInt8(ascii: "[")
        if isAddress {
            guard name.last == UInt8(ascii: "]") else { return false }
            name = name.dropFirst().dropLast()
        }
        return !name.isEmpty
            && name.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "]"): false
                case UInt8(ascii: ":"): isAddress
                default: true
                }
            }
    }

    private static func isEqual(_ text: Substring, _ lowercase: StaticString) -> Bool {
        text.utf8.count == lowercase.utf8CodeUnitCount
            && zip(text.utf8, UnsafeBufferPointer(start: lowercase.utf8Start, count: lowercase.utf8CodeUnitCount))
                .allSatisfy { $0 | 0x20 == $1 }
    }

    /// Resolves percent escapes, once.
    static func decode(_ path: Substring) -> String? {
        guard path.utf8.contains(UInt8(ascii: "%")) else {
            return path.utf8.contains(0) ? nil : String(path)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(path.utf8.count)
        var rest = path.utf8[...]
        while let byte = rest.popFirst() {
            var byte = byte
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(nibble), let low = rest.popFirst().flatMap(nibble) else {
                    return nil
                }
                byte = high << 4 | low
                // It would become a separator that the server never saw as one.
                if byte == UInt8(ascii: "/") { return nil }
            }
            if byte == 0 { return nil }
            bytes.append(byte)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

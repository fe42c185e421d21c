// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading
internal import WebSyntax

/// The custom schemes of custom-scheme mode, and the mapping between real URLs and custom-scheme URLs (names).
///
/// Two custom schemes represent `https` and `http`, so that every name has one real URL. They also let an engine
/// distinguish secure contexts; WebKitGTK, however, treats all custom schemes as secure. Authority, path and query are
/// the same in both URLs.
public struct SchemeNames: Sendable, Hashable {
    /// The custom scheme for `https`, registered as secure.
    public let secure: String
    /// The custom scheme for `http`.
    public let insecure: String
    /// The other schemes with which older pages name `https`, such as `page` and `assets`. The container reads them and
    /// never writes them.
    public let aliases: Set<String>

    /// The maximum number of aliases.
    private static let maxAliases = 8

    /// Creates names from a prefix: `app` yields `app` and `app-http`.
    ///
    /// Returns `nil` unless the prefix and the aliases are different lower-case URL schemes (RFC 3986, section 3.1)
    /// that neither engines nor the container reserve, and there are at most eight aliases.
    /// - Parameters:
    ///   - prefix: the scheme for `https`, of at most 32 characters.
    ///   - aliases: the other schemes that count as `https`, each of at most 32 characters; none by default.
    public init?(prefix: String, aliases: Set<String> = []) {
        let reserved: Set = [
            "http", "https", "ws", "wss", "ftp", "file", "about", "blob", "data", "javascript", "post",
        ]
        let all = aliases.union([prefix])
        guard aliases.count <= Self.maxAliases, all.count == aliases.count + 1, !aliases.contains(prefix + "-http"),
            all.allSatisfy({ $0.utf8.count <= 32 && URLScheme.isLowercase($0) && !reserved.contains($0) })
        else { return nil }
        secure = prefix
        insecure = prefix + "-http"
        self.aliases = aliases
    }

    private init(secure: String, insecure: String) {
        self.secure = secure
        self.insecure = insecure
        aliases = []
    }

    /// The schemes `containerkit` and `containerkit-http`.
    public static let standard = SchemeNames(secure: "containerkit", insecure: "containerkit-http")

    /// The names of a handler on `https` itself: each name is the real URL.
    @_spi(Facade) public static let realURLs = SchemeNames(secure: "https", insecure: "http")

    /// A Boolean value that indicates whether each name is the real URL, so that nothing is rewritten and all https
    /// requests of pages reach the container.
    @_spi(Facade) public var areRealURLs: Bool { secure == "https" }

    /// Returns the custom scheme for a real scheme, or `nil` if there is none.
    public func name(for realScheme: String) -> String? {
        switch realScheme.asciiLowercased {
        case "https": secure
        case "http": insecure
        default: nil
        }
    }

    /// Returns the real scheme for a custom scheme or an alias, or `nil` if there is none.
    public func realScheme(for name: String) -> String? {
        switch name.asciiLowercased {
        case secure: "https"
        case insecure: "http"
        case let name: aliases.contains(name) ? "https" : nil
        }
    }

    /// Returns the custom-scheme URL for a real URL, or `nil` if there is none.
    public func name(of url: String) -> String? {
        replacingScheme(of: url, by: name(for:))
    }

    /// Returns the real URL for a custom-scheme URL, or `nil` if it has another scheme.
    public func realURL(of name: String) -> String? {
        replacingScheme(of: name, by: realScheme(for:))
    }

    /// Returns the `https` URL for a URL with an alias. Another URL is returned unchanged.
    public func withoutAlias(_ url: String) -> String {
        replacingScheme(of: url) { aliases.contains($0.asciiLowercased) ? "https" : nil } ?? url
    }

    /// Returns the real URL of an engine's request. A URL with another scheme is returned unchanged.
    public func realURL(of request: HTTPRequest) -> String {
        var request = request
        if let scheme = request.scheme.flatMap(realScheme(for:)) { request.scheme = scheme }
        return request.urlText
    }

    /// Returns the path and query of a custom-scheme URL in the form that an engine would request over http. The URL
    /// standard converts backslashes in paths into slashes, and escapes quotes in queries, only for special schemes
    /// such as http and https.
    public func realTarget(of target: String) -> String {
        guard target.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "'") }) else {
            return target
        }
        let query = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        var path = String(target[..<query])
        if path.utf8.contains(UInt8(ascii: "\\")) {
            path = URLSpelling.withoutDots(path.replacing("\\", with: "/"))
        }
        return path + target[query...].replacing("'", with: "%27")
    }

    private func replacingScheme(of url: String, by replacement: (String) -> String?) -> String? {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")), url.utf8[colon...].starts(with: "://".utf8),
            let scheme = replacement(String(url[..<colon]))
        else { return nil }
        return scheme + url[colon...]
    }
}

extension SchemeNames {
    /// Parses a redirect as `Redirect` does, and also accepts a custom-scheme URL as the target. A page may send its
    /// own URL, which is a custom-scheme URL, to a server, for example as the return URL of a sign-in.
    /// - Throws: `ResourceError` with code `invalidRequest`, as `Redirect` does.
    public func redirect(of head: HTTPResponse, to request: HTTPRequest) throws -> Redirect? {
        guard let real = head.headerFields[.location].flatMap(realURL(of:)) else {
            return try Redirect(of: head, to: request)
        }
        var head = head
        head.headerFields[.location] = real
        return try Redirect(of: head, to: request)
    }
}

extension SchemeNames {
    /// Replaces custom-scheme URLs in `Origin` and `Referer` by real URLs.
    ///
    /// The engine sends the custom scheme in both fields, but servers require the real scheme.
    public func restoreOriginFields(in fields: inout HTTPFields) {
        for name in [HTTPField.Name.origin, .referer] {
            if let value = fields[name], let real = realURL(of: value) {
                fields[name] = real
            }
        }
    }
}

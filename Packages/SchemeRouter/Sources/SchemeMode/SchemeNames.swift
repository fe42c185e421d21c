// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading
internal import WebSyntax

/// The names that pages have in custom-scheme mode, and their way back to real URLs.
///
/// Two schemes stand for the two real ones, so that every name has one real URL, and an engine may tell secure contexts
/// from others by the scheme (WebKitGTK does not: it counts all schemes of an app as secure). Authority, path and query
/// are the same on both sides.
public struct SchemeNames: Sendable, Hashable {
    /// Stands for `https`; registered as secure.
    public let secure: String
    /// Stands for `http`.
    public let insecure: String

    /// Names made from a prefix: `app` gives `app` and `app-http`.
    ///
    /// `nil` unless the prefix is a URL scheme (RFC 3986, section 3.1, in lower case) that engines leave to an app.
    public init?(prefix: String) {
        let reserved: Set = ["http", "https", "ws", "wss", "ftp", "file", "about", "blob", "data", "javascript"]
        guard prefix.utf8.count <= 32, URLScheme.isLowercase(prefix), !reserved.contains(prefix) else { return nil }
        secure = prefix
        insecure = prefix + "-http"
    }

    private init(secure: String, insecure: String) {
        self.secure = secure
        self.insecure = insecure
    }

    /// `containerkit` and `containerkit-http`.
    public static let standard = SchemeNames(secure: "containerkit", insecure: "containerkit-http")

    /// The custom scheme that stands for a real one.
    public func name(for realScheme: String) -> String? {
        switch realScheme.lowercased() {
        case "https": secure
        case "http": insecure
        default: nil
        }
    }

    /// The real scheme that a custom one stands for.
    public func realScheme(for name: String) -> String? {
        switch name.lowercased() {
        case secure: "https"
        case insecure: "http"
        default: nil
        }
    }

    /// The name of a real URL in this mode, or `nil` where it has none.
    public func name(of url: String) -> String? {
        replacingScheme(of: url, by: name(for:))
    }

    /// The real URL behind a name, or `nil` where it is none of this mode's names.
    public func realURL(of name: String) -> String? {
        replacingScheme(of: name, by: realScheme(for:))
    }

    /// The real URL that a request of an engine is for; the URL that it has where that is none of this mode's names.
    public func realURL(of request: HTTPRequest) -> String {
        var request = request
        if let scheme = request.scheme.flatMap(realScheme(for:)) { request.scheme = scheme }
        return request.urlText
    }

    /// Path and query of a name's URL as an engine would have asked for them by http: with slashes for backslashes in the
    /// path, and with quotes escaped in the query, as the URL standard has it for http and https alone.
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
    /// Reads an answer's head, as `Redirect` does, also where it leads to a name: a page hands its own URL on, as to be
    /// brought back there once its user has signed in, and knows it by its name.
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
    /// Gives the request fields that name an origin their real values.
    ///
    /// `Origin` and `Referer` carry the custom scheme in this mode; the world outside knows only the real one.
    public func restoreOriginFields(in fields: inout HTTPFields) {
        for name in [HTTPField.Name.origin, .referer] {
            if let value = fields[name], let real = realURL(of: value) {
                fields[name] = real
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1
internal import WebSyntax

/// A handler that sends the request target and the values of header fields in the spelling of the request.
///
/// AsyncHTTPClient forms the target from a Foundation `URL`, which escapes characters that engines send unescaped, such
/// as `|` and `[`. A signature over the URL would then fail. It also refuses control characters in field values, which
/// engines send. The transport therefore puts both into fields before all other fields, and this handler moves them to
/// their places. The first field also contains their number. A field of the request with one of these names is behind
/// them and stays unchanged, so that a page cannot choose the target or a field that scripts cannot set.
///
/// AsyncHTTPClient announces every body without bytes by `Content-Length: 0`, except for DELETE and some other methods.
/// Engines do so for an empty body, and for a missing one of POST and PUT only (Fetch Standard, "HTTP-network-or-cache
/// fetch"). The first field contains what the request needs, and the handler adds or removes the field.
///
/// Isolation: the event loop of its channel.
final class RequestSpellingHandler: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    static let target = "containerkit-request-target"
    static let field = "containerkit-request-field"

    /// Returns the fields of a request in the form that AsyncHTTPClient accepts.
    /// - Parameters:
    ///   - target: The request target, without white space and control characters.
    ///   - announcesEmptyBody: A Boolean value that indicates whether the request has `Content-Length: 0` if its body
    ///     has no bytes.
    ///   - fields: The fields. Their values have no CR, LF and NUL.
    static func headers(
        target: String, announcesEmptyBody: Bool, _ fields: some Sequence<(name: String, value: String)>
    ) -> HTTPHeaders {
        var escaped: [(String, String)] = []
        var headers: [(String, String)] = []
        for (name, value) in fields {
            // AsyncHTTPClient sets the framing itself, and refuses an invalid value of these fields.
            let isFraming = ["content-length", "transfer-encoding", "connection"].contains(name.asciiLowercased)
            if !isFraming, value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
                escaped.append((field, "\(name) \(PercentEncoding.encode(value, keeping: .unreserved))"))
            } else {
                headers.append((name, value))
            }
        }
        let first = "\(escaped.count) \(announcesEmptyBody) \(target)"
        return HTTPHeaders([(Self.target, first)] + escaped + headers)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), let first = head.headers.first, first.name == Self.target,
            let (count, rest) = Self.words(first.value), let count = Int(count),
            let (announcesEmptyBody, target) = Self.words(String(rest))
        else { return context.write(data, promise: promise) }
        head.uri = String(target)
        let fields = head.headers.dropFirst()
        let restored = fields.prefix(count).compactMap { _, value in
            Self.words(value).flatMap { name, text in PercentEncoding.decodeText(text).map { (String(name), $0) } }
        }
        head.headers = HTTPHeaders(restored + fields.dropFirst(count))
        let length = head.headers.first(name: "content-length")
        if !head.headers.contains(name: "transfer-encoding"), ["0", nil].contains(length) {
            head.headers.remove(name: "content-length")
            if announcesEmptyBody == "true" { head.headers.add(name: "content-length", value: "0") }
        }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    /// Returns the parts of a text before and after its first space.
    private static func words(_ text: String) -> (Substring, Substring)? {
        guard let space = text.utf8.firstIndex(of: 0x20) else { return nil }
        return (text[..<space], text[text.utf8.index(after: space)...])
    }
}

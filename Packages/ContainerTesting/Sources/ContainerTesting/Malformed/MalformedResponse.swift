// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A response whose head violates HTTP (RFC 9110, section 15; RFC 9112, section 4; RFC 9113, sections 8.1 and 8.3.2).
/// A client must report an error and continue with other requests.
public struct MalformedResponse: Sendable, CustomStringConvertible {
    /// The part of the response that violates HTTP.
    public enum Part: Sendable, Hashable {
        /// The head that a client reads first.
        case head
        /// The part after a valid head. A client may have delivered the head already.
        case rest
    }

    /// The HTTP version, and the bytes or frames to send.
    enum Content: Sendable {
        case http1(String)
        case http2([Frame])
    }

    /// A frame of HTTP/2 on the stream of the request.
    enum Frame: Sendable {
        /// A block of header fields, in order; pseudo-header fields start with a colon.
        case headers([(String, String)], endsStream: Bool = false)
        case data([UInt8], endsStream: Bool)

        static func data(_ text: String, endsStream: Bool) -> Frame { .data(Array(text.utf8), endsStream: endsStream) }
    }

    /// The name: letters, digits and hyphens. It is the last part of the path at ``MalformedOrigin``.
    public let name: String
    /// The part that violates HTTP.
    public let part: Part
    /// A Boolean value that indicates whether the server closes the connection after the response.
    public let closes: Bool
    let content: Content

    /// The bytes of the response over HTTP/1.1; `nil` over HTTP/2.
    public var text: String? {
        if case .http1(let text) = content { text } else { nil }
    }

    /// The name.
    public var description: String { name }

    private init(_ name: String, _ text: String, _ part: Part = .head, closes: Bool = false) {
        self.name = name
        self.part = part
        self.closes = closes
        content = .http1(text)
    }

    private init(_ name: String, _ part: Part = .head, _ frames: Frame...) {
        self.name = name
        self.part = part
        closes = false
        content = .http2(frames)
    }

    /// Creates a response with one header block and a body.
    private init(_ name: String, status: String) {
        self.init(name, .head, .headers([(":status", status)]), .data("bad", endsStream: true))
    }

    /// The responses over HTTP/1.1.
    public static let http1: [MalformedResponse] = [
        MalformedResponse("status-000", "HTTP/1.1 000 X\r\nContent-Length: 3\r\n\r\nbad"),
        MalformedResponse("status-099", "HTTP/1.1 099 X\r\nContent-Length: 3\r\n\r\nbad"),
        MalformedResponse("status-099-empty", "HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n"),
        MalformedResponse(
            "status-099-chunked", "HTTP/1.1 099 X\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nbad\r\n0\r\n\r\n"),
        MalformedResponse("status-099-closed", "HTTP/1.1 099 X\r\n\r\nbad", closes: true),
        MalformedResponse("status-one-digit", "HTTP/1.1 1 X\r\nContent-Length: 3\r\n\r\nbad"),
        MalformedResponse("status-two-digits", "HTTP/1.1 99 X\r\nContent-Length: 3\r\n\r\nbad"),
        MalformedResponse("status-four-digits", "HTTP/1.1 2000 OK\r\nContent-Length: 3\r\n\r\nbad"),
        MalformedResponse("status-negative", "HTTP/1.1 -1 X\r\nContent-Length: 3\r\n\r\nbad"),
        MalformedResponse("status-word", "HTTP/1.1 abc X\r\nContent-Length: 3\r\n\r\nbad"),
        MalformedResponse("status-missing", "HTTP/1.1\r\nContent-Length: 3\r\n\r\nbad"),
        MalformedResponse("status-101", "HTTP/1.1 101 Switching Protocols\r\n\r\nbad"),
        MalformedResponse(
            "status-101-fields", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\nbad"),
        MalformedResponse("only-informational", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", closes: true),
        MalformedResponse(
            "informational-then-099",
            "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 099 X\r\nContent-Length: 3\r\n\r\nbad"),
        MalformedResponse("version", "HTTP/2.0 200 OK\r\nContent-Length: 3\r\n\r\nbad"),
    ]

    /// The responses over HTTP/2.
    public static let http2: [MalformedResponse] = [
        MalformedResponse("status-empty", status: ""),
        MalformedResponse("status-negative", status: "-1"),
        MalformedResponse("status-zero", status: "0"),
        MalformedResponse("status-one-digit", status: "1"),
        MalformedResponse("status-two-digits", status: "99"),
        MalformedResponse("status-099", status: "099"),
        MalformedResponse("status-099-empty", .head, .headers([(":status", "099")], endsStream: true)),
        MalformedResponse("status-2000", status: "2000"),
        MalformedResponse("status-1000", status: "1000"),
        MalformedResponse(
            "status-1000-then-200", .head, .headers([(":status", "1000")]), .headers([(":status", "200")]),
            .data("bad", endsStream: true)),
        MalformedResponse("status-plus", status: "+200"),
        MalformedResponse("status-word", status: "abc"),
        MalformedResponse("status-huge", status: "99999999999999999999"),
        MalformedResponse("status-foreign-digits", status: "\u{662}\u{660}\u{660}"),
        MalformedResponse("status-missing", .head, .headers([("x-a", "b")]), .data("bad", endsStream: true)),
        MalformedResponse(
            "status-twice", .head, .headers([(":status", "200"), (":status", "200")]), .data("bad", endsStream: true)),
        MalformedResponse("status-101", .head, .headers([(":status", "101")], endsStream: true)),
        MalformedResponse(
            "status-101-then-200", .head, .headers([(":status", "101")]), .headers([(":status", "200")]),
            .data("bad", endsStream: true)),
        MalformedResponse("informational-ends", .head, .headers([(":status", "103")], endsStream: true)),
        MalformedResponse(
            "informational-then-end", .head, .headers([(":status", "103")]), .data("", endsStream: true)),
        MalformedResponse(
            "informational-then-099", .head, .headers([(":status", "103")]), .headers([(":status", "099")]),
            .data("bad", endsStream: true)),
        MalformedResponse(
            "second-head", .rest, .headers([(":status", "200")]), .headers([(":status", "200")]),
            .data("bad", endsStream: true)),
        MalformedResponse(
            "second-head-ends", .rest, .headers([(":status", "200")]), .headers([(":status", "200")], endsStream: true)),
        MalformedResponse(
            "second-head-late", .rest, .headers([(":status", "200")]), .data("bad", endsStream: false),
            .headers([(":status", "101")])),
        MalformedResponse(
            "trailers-status", .rest, .headers([(":status", "200")]), .data("bad", endsStream: false),
            .headers([(":status", "200"), ("x-a", "b")], endsStream: true)),
        MalformedResponse(
            "trailers-path", .rest, .headers([(":status", "200")]), .data("bad", endsStream: false),
            .headers([("x-a", "b"), (":path", "/")], endsStream: true)),
        MalformedResponse(
            "trailers-without-end", .rest, .headers([(":status", "200")]), .data("bad", endsStream: false),
            .headers([("x-a", "b")])),
    ]
}

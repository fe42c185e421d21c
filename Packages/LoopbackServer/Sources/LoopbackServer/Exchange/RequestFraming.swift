// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOHTTP1
internal import WebSyntax

/// The framing of a request body.
///
/// If two readers disagree about the end of a message, requests can be smuggled (RFC 9112, section 11.2). Ambiguous
/// messages are therefore refused, also if RFC 9112 permits a recipient to repair them. The connection is then closed,
/// because the start of the next message is unknown.
enum RequestFraming: Sendable, Equatable {
    /// No body.
    case none
    /// A body of a fixed length in bytes.
    case length(Int64)
    /// A chunked body.
    case chunked

    /// Creates the framing of a request.
    /// - Throws: ``RequestFault``.
    init(_ head: HTTPRequestHead) throws(RequestFault) {
        guard head.version.major == 1 else { throw RequestFault("not HTTP/1") }
        let codings = head.headers["transfer-encoding"].map(\.trimmingFieldWhitespace)
        let lengths = head.headers["content-length"].map(\.trimmingFieldWhitespace)
        // RFC 9112, section 6.1: a message with both fields may be an attempt at request smuggling.
        guard codings.isEmpty || lengths.isEmpty else {
            throw RequestFault("both Transfer-Encoding and Content-Length")
        }
        if let coding = codings.first {
            // RFC 9112, section 6.1: an HTTP/1.0 client does not support chunked.
            guard head.version.minor >= 1 else { throw RequestFault("Transfer-Encoding in HTTP/1.0") }
            guard codings.count == 1 else { throw RequestFault("Transfer-Encoding twice") }
            guard coding.utf8.equalsIgnoringCase("chunked") else {
                throw RequestFault("a transfer coding that is not chunked", .notImplemented)
            }
            self = .chunked
        } else if let text = lengths.first {
            // RFC 9112, section 6.3: several different lengths are an error. Repeated equal lengths are refused, too.
            guard lengths.count == 1 else { throw RequestFault("Content-Length twice") }
            guard let length = Int64(decimalDigits: text.utf8) else {
                throw RequestFault("Content-Length is not a number")
            }
            self = length == 0 ? .none : .length(length)
        } else {
            self = .none
        }
    }

    /// Checks further requirements of RFC 9112, and `Expect`.
    /// - Throws: ``RequestFault``.
    static func check(_ head: HTTPRequestHead) throws(RequestFault) {
        let hosts = head.headers["host"]
        // RFC 9112, section 3.2: a request has exactly one Host field; HTTP/1.0 permits none.
        guard hosts.count == 1 || hosts.isEmpty && head.version.minor == 0 else {
            throw RequestFault(hosts.isEmpty ? "no Host" : "Host twice")
        }
        let expectations = head.headers["expect"]
        guard expectations.allSatisfy({ $0.trimmingFieldWhitespace.utf8.equalsIgnoringCase("100-continue") }) else {
            throw RequestFault("unknown expectation", .expectationFailed)
        }
    }
}

/// The reason that a request is refused before the loader receives it: it is ambiguous, malformed or not authorized.
struct RequestFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The status of the response.
    enum Status: Int, Sendable {
        case badRequest = 400
        /// RFC 9110, section 15.5.4.
        case forbidden = 403
        /// RFC 9110, section 15.5.18.
        case expectationFailed = 417
        /// RFC 9110, section 15.5.20.
        case misdirected = 421
        /// RFC 9112, section 6.1.
        case notImplemented = 501
        /// RFC 5842, section 7.2.
        case loopDetected = 508
    }

    let status: Status
    /// The reason, for display.
    let description: String
    /// The refusal that is reported as an event.
    let refusal: LoopbackRefusal

    init(_ description: String, _ status: Status = .badRequest) {
        self.status = status
        self.description = description
        refusal = .malformed(description)
    }

    /// Creates a fault for a request that is not authorized.
    init(_ refusal: LoopbackRefusal) {
        status = .forbidden
        description = "\(refusal)"
        self.refusal = refusal
    }

    /// Creates a fault for a request of the container's own that came back.
    init(returned url: String) {
        status = .loopDetected
        refusal = .returned(url)
        description = "\(refusal)"
    }
}

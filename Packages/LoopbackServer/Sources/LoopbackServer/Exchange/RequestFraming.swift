// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOHTTP1
internal import WebSyntax

/// Where the body of a request ends. A message whose end two readers may see in different places is how requests are
/// smuggled (RFC 9112, section 11.2), so that what RFC 9112 lets a recipient repair is refused here; the connection is
/// closed after that, since its next byte means nothing any more.
enum RequestFraming: Sendable, Equatable {
    /// There is no body.
    case none
    /// As many bytes.
    case length(Int64)
    /// Chunks, up to one without bytes.
    case chunked

    /// - Throws: ``RequestFault``.
    init(_ head: HTTPRequestHead) throws(RequestFault) {
        guard head.version.major == 1 else { throw RequestFault("not HTTP/1") }
        let codings = head.headers["transfer-encoding"].map(\.trimmingFieldWhitespace)
        let lengths = head.headers["content-length"].map(\.trimmingFieldWhitespace)
        // Section 6.1: such a message may be an attempt to smuggle.
        guard codings.isEmpty || lengths.isEmpty else {
            throw RequestFault("both Transfer-Encoding and Content-Length")
        }
        if let coding = codings.first {
            // Section 6.1: a client of HTTP/1.0 does not know chunks.
            guard head.version.minor >= 1 else { throw RequestFault("Transfer-Encoding in HTTP/1.0") }
            guard codings.count == 1 else { throw RequestFault("Transfer-Encoding twice") }
            guard coding.utf8.equalsIgnoringCase("chunked") else {
                throw RequestFault("a transfer coding that is not chunked", .notImplemented)
            }
            self = .chunked
        } else if let text = lengths.first {
            // Section 6.3: two lengths are an error unless they are the same; which it is needs no guess when it is
            // refused.
            guard lengths.count == 1 else { throw RequestFault("Content-Length twice") }
            guard let length = Int64(decimalDigits: text.utf8) else {
                throw RequestFault("Content-Length is not a number")
            }
            self = length == 0 ? .none : .length(length)
        } else {
            self = .none
        }
    }

    /// Checks what else RFC 9112 has a server refuse, and HTTP's expectations.
    static func check(_ head: HTTPRequestHead) throws(RequestFault) {
        let hosts = head.headers["host"]
        // Section 3.2.
        guard hosts.count == 1 || hosts.isEmpty && head.version.minor == 0 else {
            throw RequestFault(hosts.isEmpty ? "no Host" : "Host twice")
        }
        for (name, value) in head.headers {
            // Sections 5 and 5.2, and 2.2 for a bare CR: whoever reads after us may see another field there.
            guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenByte), value.utf8.allSatisfy(isFieldValue) else {
                throw RequestFault("a header field that is none")
            }
        }
        let expectations = head.headers["expect"]
        guard expectations.allSatisfy({ $0.trimmingFieldWhitespace.utf8.equalsIgnoringCase("100-continue") }) else {
            throw RequestFault("an expectation that nobody knows", .expectationFailed)
        }
    }

    /// RFC 9110, section 5.5.
    private static func isFieldValue(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == 0x09
    }
}

/// Why a request is refused before anybody is asked: what it says could be read in two ways, or not at all, or it is
/// nobody's who is served.
struct RequestFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The status of the answer.
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
    }

    let status: Status
    /// What is the matter, for people.
    let description: String
    /// As it is told.
    let refusal: LoopbackRefusal

    init(_ description: String, _ status: Status = .badRequest) {
        self.status = status
        self.description = description
        refusal = .malformed(description)
    }

    /// A request of somebody who is not served.
    init(_ refusal: LoopbackRefusal) {
        status = .forbidden
        description = "\(refusal)"
        self.refusal = refusal
    }
}

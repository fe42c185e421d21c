// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import NIOHTTP1

/// The head of an answer as it leaves: framed so that its end is seen (RFC 9112, section 6).
struct AnswerHead {
    var head: HTTPResponseHead
    /// The bytes of body that are to follow; `nil` where only their end tells.
    let length: Int64?
    /// Whether a body is to follow.
    let hasBody: Bool
    /// Whether the connection lasts.
    let keepsAlive: Bool

    /// - Parameter length: of the loader's body; `nil` where nobody knows.
    init(_ response: HTTPResponse, length: Int64?, to exchange: Exchange) {
        var headers = HTTPHeaders(forwarding: response.headerFields)
        let isHTTP11 = exchange.version == .http1_1
        var keepsAlive = exchange.life.keepsAlive
        // RFC 9110, section 6.4.1.
        let hasBody =
            exchange.allowsBody && ![204, 304].contains(response.status.code)
        self.hasBody = hasBody
        if !hasBody {
            self.length = 0
            // What it would be of a GET, where the loader says so.
            if response.status.code != 204, let text = response.headerFields[.contentLength],
                let announced = Int64(text), announced >= 0
            {
                headers.add(name: "content-length", value: "\(announced)")
            }
        } else if let length {
            self.length = length
            headers.add(name: "content-length", value: "\(length)")
        } else {
            self.length = nil
            if isHTTP11 {
                headers.add(name: "transfer-encoding", value: "chunked")
            } else {
                // The end of the connection is the body's.
                keepsAlive = false
            }
        }
        if !keepsAlive {
            headers.add(name: "connection", value: "close")
        } else if !isHTTP11 {
            headers.add(name: "connection", value: "keep-alive")
        }
        self.keepsAlive = keepsAlive
        head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: response.status.code, reasonPhrase: response.status.reasonPhrase),
            headers: headers)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import NIOHTTP1

/// The head of a response as it is sent, with the fields that frame its body (RFC 9112, section 6).
struct FramedResponseHead {
    var head: HTTPResponseHead
    /// The number of body bytes; `nil` if the body ends with the last chunk or with the connection.
    let length: Int64?
    /// A Boolean value that indicates whether a body follows.
    let hasBody: Bool
    /// A Boolean value that indicates whether the connection stays open.
    let keepsAlive: Bool

    /// - Parameter length: The length of the loader's body; `nil` if unknown.
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
            // A response to HEAD and a 304 may contain the length that a response to GET would have (RFC 9110, section
            // 8.6).
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
                // The body ends with the connection.
                keepsAlive = false
            }
        }
        if !keepsAlive {
            headers.add(name: "connection", value: "close")
        } else if !isHTTP11 {
            headers.add(name: "connection", value: "keep-alive")
        }
        self.keepsAlive = keepsAlive
        // `HTTPResponseStatus.init` would replace the phrase of a registered status.
        head = HTTPResponseHead(
            version: .http1_1,
            status: .custom(code: UInt(response.status.code), reasonPhrase: response.status.reasonPhrase),
            headers: headers)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
internal import HTTPTransport
internal import HTTPTypes
internal import NIOTransport
internal import ResourceLoading

/// Fuzzes the HTTP transport with responses of a hostile server over HTTP/1.1 and HTTP/2, on real connections.
///
/// The first byte selects the protocol, the request method and the pieces in which the rest is sent. For HTTP/2, the
/// rest is sent unchanged or converted line by line to frames; see ``HTTP2Script``.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzResponse(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let bytes, count > 0 else { return 0 }
    let rest = [UInt8](UnsafeBufferPointer(start: bytes + 1, count: count - 1))
    let first = bytes[0]
    let isHTTP2 = first & 1 == 1
    let response = isHTTP2 && first & 2 == 2 ? HTTP2Script.frames(of: rest) : rest
    let piece = [0, 7, 64, 1_000][Int(first >> 2) & 3]
    let method: HTTPRequest.Method = [.get, .head, .post, .get][Int(first >> 4) & 3]
    let server = ResponseServer.of(isHTTP2: isHTTP2)
    server.prepare(response, piece: piece)
    let transport = ResponseServer.transport
    let url = server.url
    Fuzz.wait {
        do {
            guard let request = HTTPRequest(method: method, urlText: url) else { return }
            let response = try await transport.send(
                request, body: method == .post ? .bytes(Data("name=value".utf8)) : .empty)
            Fuzz.expect((200...999).contains(response.head.status.code), "an interim response head")
            for field in response.head.headerFields {
                Fuzz.expect(!field.value.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }, "a multi-line field")
            }
            _ = try await response.body.collect(upTo: 1 << 20)
        } catch let error as ResourceError {
            Fuzz.expectOneLine(error)
        } catch {
            Fuzz.expect(false, "untyped error: \(error)")
        }
    }
    server.finish()
    return 0
}

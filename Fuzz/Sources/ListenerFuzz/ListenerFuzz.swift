// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport

/// Fuzzes the loopback listeners with the bytes of a local program: SOCKS5, HTTP and TLS to the proxy, and TLS to the
/// local server. The listeners use real sockets.
///
/// The first byte selects the listener, the bytes to send before the rest of the input, and the length of the pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzListener(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let bytes, count > 0 else { return 0 }
    let rest = [UInt8](UnsafeBufferPointer(start: bytes + 1, count: count - 1))
    let listeners = Listeners.shared
    let (port, message): (Int, [UInt8]) =
        switch bytes[0] & 7 {
        case 0, 1: (listeners.proxyPort, rest)
        // A client with credentials: the SOCKS5 request, or the bytes after a request for a host.
        case 2: (listeners.proxyPort, listeners.introduction + rest)
        case 3: (listeners.proxyPort, listeners.introduction + Listeners.request + rest)
        // HTTP, with the credentials in place of each marker.
        case 4, 5: (listeners.proxyPort, listeners.authorized(rest))
        default: (listeners.sitePort, rest)
        }
    let piece = [message.count, 1, 7, 64, 1_000][Int(bytes[0] >> 3) % 5]
    // The number of pieces is limited, so that an input does not take long.
    let length = max(piece, message.count / 32, 1)
    let pieces = stride(from: 0, to: message.count, by: length).map { message[$0..<min($0 + length, message.count)] }
    // A listener that crashes ends the process. A listener that hangs keeps the connection open.
    let fault = LoopbackClient.exchange(pieces, at: port)
    Fuzz.expect(fault == nil, fault ?? "")
    return 0
}

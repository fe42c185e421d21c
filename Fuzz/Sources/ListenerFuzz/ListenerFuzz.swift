// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport

/// Bytes of any program of the device to the listeners on loopback: SOCKS5, HTTP and TLS to the proxy, TLS to the local
/// server. The listeners are the real ones, on real sockets.
///
/// The first byte says which listener receives the rest, what precedes it, and into which pieces it is split.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzListener(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let bytes, count > 0 else { return 0 }
    let rest = [UInt8](UnsafeBufferPointer(start: bytes + 1, count: count - 1))
    let listeners = Listeners.shared
    let (port, message): (Int, [UInt8]) =
        switch bytes[0] & 7 {
        case 0, 1: (listeners.proxyPort, rest)
        // A client that has the credentials: the request of SOCKS5, or what follows the request for a host.
        case 2: (listeners.proxyPort, listeners.introduction + rest)
        case 3: (listeners.proxyPort, listeners.introduction + Listeners.request + rest)
        // HTTP, with the credentials in place of a mark.
        case 4, 5: (listeners.proxyPort, listeners.authorized(rest))
        default: (listeners.sitePort, rest)
        }
    let piece = [message.count, 1, 7, 64, 1_000][Int(bytes[0] >> 3) % 5]
    // An input must not take long.
    let length = max(piece, message.count / 32, 1)
    let pieces = stride(from: 0, to: message.count, by: length).map { message[$0..<min($0 + length, message.count)] }
    // A listener that has crashed takes the process along; one that hangs keeps the connection.
    Fuzz.expect(LoopbackClient.exchange(pieces, at: port), "a connection that does not end")
    return 0
}

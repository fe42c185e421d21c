// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// Parsers for the messages of a SOCKS5 client before its tunnel.
///
/// Each function reads one message from the start of a buffer, and leaves the buffer unchanged if the message is
/// incomplete.
enum SocksMessage {
    /// The error for bytes that are not a valid SOCKS5 message.
    struct Malformed: Error {}

    /// Reads the authentication methods of a client (RFC 1928, section 3).
    static func methods(in buffer: inout ByteBuffer) throws -> [UInt8]? {
        var rest = buffer
        guard let version: UInt8 = rest.readInteger(), let count: UInt8 = rest.readInteger() else { return nil }
        guard version == 5 else { throw Malformed() }
        guard let methods = rest.readBytes(length: Int(count)) else { return nil }
        buffer = rest
        return methods
    }

    /// Reads a user name and a password (RFC 1929, section 2).
    static func credentials(in buffer: inout ByteBuffer) throws -> TestProxyCredentials? {
        var rest = buffer
        guard let version: UInt8 = rest.readInteger() else { return nil }
        guard version == 1 else { throw Malformed() }
        guard let username = text(in: &rest), let password = text(in: &rest) else { return nil }
        buffer = rest
        return TestProxyCredentials(username: username, password: password)
    }

    /// Reads the target of a `CONNECT` request (RFC 1928, section 4).
    static func target(in buffer: inout ByteBuffer) throws -> Endpoint? {
        var rest = buffer
        guard let head = rest.readBytes(length: 4) else { return nil }
        guard head[0] == 5, head[1] == 1 else { throw Malformed() }
        let host: String?
        switch head[3] {
        case 1: host = rest.readBytes(length: 4)?.map { "\($0)" }.joined(separator: ".")
        case 3: host = text(in: &rest)
        case 4:
            host = rest.readBytes(length: 16).map { bytes in
                stride(from: 0, to: 16, by: 2)
                    .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
                    .joined(separator: ":")
            }
        default: throw Malformed()
        }
        guard let host, let port: UInt16 = rest.readInteger() else { return nil }
        guard !host.isEmpty, port > 0 else { throw Malformed() }
        buffer = rest
        return Endpoint(host: host, port: Int(port))
    }

    private static func text(in buffer: inout ByteBuffer) -> String? {
        guard let length: UInt8 = buffer.readInteger() else { return nil }
        return buffer.readString(length: Int(length))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import Glibc

/// A server for plain HTTP/1.1 that records every received byte.
///
/// Isolation: any; each connection has a thread.
final class RawServer: Sendable {
    struct Request: Sendable {
        var path: String
    }

    enum Reply: Sendable {
        /// No response until the client closes the connection.
        case none
        case text(String)
        /// The text `ok` after a request for the given path has arrived.
        case afterRequest(String)

        static func answer(
            _ body: String, type: String = "text/plain", status: String = "200 OK", fields: String = ""
        ) -> Reply {
            .text(
                "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nCache-Control: no-store\r\n\(fields)"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }

        static func waiting(for path: String) -> Reply { .afterRequest(path) }
    }

    private struct State {
        var bytes = Data()
        var paths: Set<String> = []
        var waiting: [(path: String, connection: Int32)] = []
    }

    private struct Failure: Error {}

    let port: UInt16
    private let listener: Int32
    private let state = Mutex(State())
    private let reply: @Sendable (Request) -> Reply

    var url: String { "http://127.0.0.1:\(port)" }

    init(_ reply: @escaping @Sendable (Request) -> Reply) throws {
        self.reply = reply
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7f00_0001).bigEndian)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw Failure() }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Thread.detachNewThread { [self] in serve(connection) }
            }
        }
    }

    /// Stops the server and returns the received bytes.
    func stop() -> Data {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        return state.withLock { $0.bytes }
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        var reader = Reader(connection: connection) { [self] bytes in state.withLock { $0.bytes += bytes } }
        while let path = reader.nextRequest() {
            let released = state.withLock { state in
                state.paths.insert(path)
                let released = state.waiting.filter { $0.path == path }
                state.waiting.removeAll { $0.path == path }
                return released
            }
            for other in released { send(.answer("ok"), to: other.connection) }
            send(reply(Request(path: path)), to: connection)
        }
    }

    private func send(_ reply: Reply, to connection: Int32) {
        var text: String
        switch reply {
        case .none: return
        case .text(let all): text = all
        case .afterRequest(let path):
            let isHere = state.withLock { state in
                if state.paths.contains(path) { return true }
                state.waiting.append((path, connection))
                return false
            }
            if isHere { send(.answer("ok"), to: connection) }
            return
        }
        text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = UnsafeBufferPointer(rebasing: rest)
                let sent = Glibc.send(connection, piece.baseAddress, piece.count, Int32(MSG_NOSIGNAL))
                guard sent > 0 else { return }
                rest = rest.dropFirst(sent)
            }
        }
    }

    /// A parser that reads requests from a connection.
    private struct Reader {
        let connection: Int32
        let record: (Data) -> Void
        private var buffer = Data()

        init(connection: Int32, record: @escaping (Data) -> Void) {
            self.connection = connection
            self.record = record
        }

        /// Reads the next request including its body and returns its path, or `nil` at the end.
        mutating func nextRequest() -> String? {
            guard let head = read(through: "\r\n\r\n") else { return nil }
            let lines = head.split(separator: "\r\n")
            let words = lines.first?.split(separator: " ") ?? []
            guard words.count == 3 else { return nil }
            for line in lines {
                let field = line.lowercased()
                if field.hasPrefix("content-length:") {
                    let length = Int(field.dropFirst(15).filter(\.isNumber)) ?? 0
                    guard fill(length) else { return nil }
                    buffer.removeFirst(length)
                } else if field.hasPrefix("transfer-encoding:") {
                    while true {
                        guard let size = read(through: "\r\n").flatMap({ Int($0.dropLast(2), radix: 16) }),
                            fill(size + 2)
                        else { return nil }
                        buffer.removeFirst(size + 2)
                        if size == 0 { break }
                    }
                }
            }
            return String(words[1])
        }

        private mutating func read(through end: String) -> String? {
            while true {
                if let range = buffer.firstRange(of: Data(end.utf8)) {
                    let text = String(decoding: buffer[..<range.upperBound], as: UTF8.self)
                    buffer = Data(buffer[range.upperBound...])
                    return text
                }
                guard more() else { return nil }
            }
        }

        private mutating func fill(_ count: Int) -> Bool {
            while buffer.count < count {
                guard more() else { return false }
            }
            return true
        }

        private mutating func more() -> Bool {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(connection, &bytes, bytes.count, 0)
            guard count > 0 else { return false }
            let piece = Data(bytes[..<count])
            record(piece)
            buffer += piece
            return true
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import NIOCore
internal import NIOPosix

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The check that the client of a connection on loopback is this process or one of its descendants, such as the
/// network process of an engine.
///
/// Other processes of the machine could otherwise use a proxy that has no credentials. The check reads `/proc`; on
/// systems other than Linux every client passes.
enum OwnProcesses {
    /// Returns a Boolean value that indicates whether the client is this process or a descendant. The check runs on a
    /// thread of NIO's pool, because it reads files.
    static func admit(_ channel: any Channel) -> EventLoopFuture<Bool> {
        #if os(Linux)
            guard let near = channel.localAddress?.port, let far = channel.remoteAddress?.port else {
                return channel.eventLoop.makeSucceededFuture(false)
            }
            return NIOThreadPool.singleton.runIfActive(eventLoop: channel.eventLoop) {
                // The kernel may skip a socket in its table while others are added and removed.
                for _ in 0..<3 {
                    if let socket = socket(from: far, to: near) { return owns(socket) }
                }
                return false
            }
        #else
            return channel.eventLoop.makeSucceededFuture(true)
        #endif
    }

    /// Checks that this process can read the kernel's table of connections, without which it would admit no client.
    /// - Throws: ``ContainerTestingError`` with code `cannotListen`.
    static func requireTable(_ path: String = "/proc/net/tcp") throws {
        #if os(Linux)
            guard read(path) != nil else {
                throw ContainerTestingError(
                    .cannotListen, "cannot read the table of connections, so no client would be admitted", at: path)
            }
        #endif
    }

    private static let table = "/proc/net/tcp"

    /// Returns the whole text of a file of `/proc`. `String(contentsOfFile:)` returns only the first part of it.
    private static func read(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        return (try? file.readToEnd()).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the inode of the socket on 127.0.0.1 that is connected to a port. The socket can be one of IPv6 with the
    /// address `::ffff:127.0.0.1` (RFC 4291, section 2.5.5.2).
    /// - Returns: `nil` if there is no such socket, or if it is closed.
    static func socket(from far: Int, to near: Int) -> UInt64? {
        let loopback = word(0x7F00_0001)
        return socket(from: far, to: near, at: loopback, in: table)
            ?? socket(from: far, to: near, at: word(0) + word(0) + word(0xFFFF) + loopback, in: table + "6")
    }

    private static func socket(from far: Int, to near: Int, at host: String, in path: String) -> UInt64? {
        // Lines of proc(5), with addresses in hexadecimal and the bytes of each 32 bits of an address in memory order:
        // number, local address, remote address, state, queues, timer, retransmissions, user, time-out, inode.
        guard let table = read(path) else { return nil }
        let local = "\(host):\(hexadecimal(far, digits: 4))"
        let remote = "\(host):\(hexadecimal(near, digits: 4))"
        for line in table.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            if fields.count > 9, fields[1] == local, fields[2] == remote, let inode = UInt64(fields[9]), inode != 0 {
                return inode
            }
        }
        return nil
    }

    /// Returns 32 bits of an address as in the table.
    private static func word(_ bits: UInt32) -> String { hexadecimal(Int(bits.bigEndian), digits: 8) }

    private static func hexadecimal(_ number: Int, digits count: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }

    /// Returns a Boolean value that indicates whether this process or a descendant has the socket open.
    static func owns(_ socket: UInt64) -> Bool {
        let own = Int32(getpid())
        if has(own, socket) { return true }
        return descendants(of: own).contains { has($0, socket) }
    }

    private static func has(_ process: Int32, _ socket: UInt64) -> Bool {
        let folder = "/proc/\(process)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) == "socket:[\(socket)]"
        }
    }

    /// Returns the processes below a process.
    static func descendants(of process: Int32) -> Set<Int32> {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) } ?? []
        var children: [Int32: [Int32]] = [:]
        for process in processes {
            // The name of a process is in parentheses and may contain any character: `7 (a) b) S 1 …`.
            guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .isoLatin1),
                let fields = stat.lastIndex(of: ")").map({ stat[$0...].split(separator: " ") }), fields.count > 2,
                let parent = Int32(fields[2])
            else { continue }
            children[parent, default: []].append(process)
        }
        var found: Set<Int32> = []
        var open = [process]
        while let next = open.popLast() {
            for child in children[next] ?? [] where found.insert(child).inserted { open.append(child) }
        }
        return found
    }
}

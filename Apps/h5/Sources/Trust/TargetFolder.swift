// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
internal import SystemSupport
internal import TrustedUpdate
internal import WebSyntax

/// The folder of downloaded targets. A file has the percent-encoded path of its target as its name.
///
/// Calls block their thread. They throw ``CommandError`` with ``ExitStatus/io`` if the folder cannot be read or
/// written.
struct TargetFolder {
    private let directory: DirectoryDescriptor

    /// Opens an existing folder.
    init(_ path: String) throws {
        directory = try Self.mapping { try DirectoryDescriptor(path: path) }
    }

    /// Returns the path of the file of a target.
    func path(of target: TrustedTarget) -> String { directory.location(of: Self.name(of: target)) }

    /// Returns a Boolean value that indicates whether the folder has a file with the length and the hashes of a target.
    func contains(_ target: TrustedTarget) throws -> Bool {
        let name = Self.name(of: target)
        return try Self.mapping {
            guard let status = try directory.status(of: name), status.kind == .file, status.size == target.length
            else { return false }
            let file = try directory.openFile(name, O_RDONLY | O_NONBLOCK)
            defer { close(file) }
            var data = Data(count: target.length)
            let count = try data.withUnsafeMutableBytes { try FileIO.fill($0, from: file, at: 0) }
            return count == data.count && (try? target.verify(data)) != nil
        }
    }

    /// Writes the file of a target, or replaces it. If the process is killed, a temporary file may remain.
    func write(_ data: Data, for target: TrustedTarget) throws {
        // No target has this name, because a plus sign is encoded.
        let temporary = ".+\(RandomToken.hex(byteCount: 8))"
        try Self.mapping {
            let file = try directory.openFile(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o666)
            do {
                var isOpen = true
                defer { if isOpen { close(file) } }
                try data.withUnsafeBytes { try FileIO.write($0, to: file) }
                isOpen = false
                // `close` reports errors of delayed writes.
                guard close(file) == 0 else { throw SystemError("close", at: directory.location(of: temporary)) }
                try directory.rename(temporary, to: directory, Self.name(of: target))
            } catch {
                try? directory.remove(temporary)
                throw error
            }
        }
    }

    /// Returns the name of a file. No target is `.` or `..` in the folder, and none is in another one.
    private static func name(of target: TrustedTarget) -> String {
        let name = PercentEncoding.encode(target.path, keeping: .unreserved)
        return name == "." || name == ".." ? name.replacingOccurrences(of: ".", with: "%2E") : name
    }

    private static func mapping<Value>(_ body: () throws -> Value) throws -> Value {
        try SystemError.mapping(body) { CommandError(.io, code: "io", $0.description, at: $0.path) }
    }
}

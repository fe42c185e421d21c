// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A file that is read and replaced as a whole. After a kill or a power failure it has the old bytes or the new bytes.
///
/// Its mode is 0600. Symbolic links are not followed. Only one writer may use it at a time.
struct AtomicFile: Sendable {
    typealias Step = DirectoryDescriptor.ReplacementStep

    let path: String
    /// A closure that is called after each step. An error that it throws ends the write after the step, as a kill
    /// would.
    let step: @Sendable (Step) throws -> Void

    /// The path to which a damaged file is moved.
    var damagedPath: String { path + ".damaged" }

    /// The path of the directory, and the name of the file in it.
    private var place: (directory: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let name = String(path[path.index(after: slash)...])
        return (slash == path.utf8.startIndex ? "/" : String(path[..<slash]), name)
    }

    /// Reads the whole file.
    /// - Returns: `nil` if there is no file; no bytes and `isTooLarge` if the file is longer than the limit.
    func read(upTo limit: Int) throws(CookieFileError) -> (bytes: Data, isTooLarge: Bool)? {
        let descriptor: CInt
        let status: FileStatus
        do {
            // A FIFO at the path must not block the call.
            descriptor = try FileIO.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            if error.number == ENOENT { return nil }
            throw error.number == ELOOP
                ? CookieFileError(.symbolicLink, "is a symbolic link", at: path) : CookieFileError(error, at: path)
        }
        defer { close(descriptor) }
        do {
            status = try FileStatus(descriptor: descriptor)
        } catch {
            throw CookieFileError(error, at: path)
        }
        try checkKind(status)
        guard status.isTrusted else {
            throw CookieFileError(.foreign, "belongs to user \(status.user)", at: path)
        }
        guard status.size <= limit else { return (Data(), true) }
        // One byte more than the size, to detect that the file grew.
        var bytes = Data(count: Int(status.size) + 1)
        while true {
            let room = bytes.count
            let count: Int
            do {
                count = try Self.fill(&bytes, from: descriptor)
            } catch {
                throw CookieFileError(error, at: path)
            }
            guard count <= limit else { return (Data(), true) }
            guard count == room else { return (bytes.prefix(count), false) }
            bytes.count = limit + 1
        }
    }

    private static func fill(_ bytes: inout Data, from descriptor: CInt) throws(SystemError) -> Int {
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemError) in try FileIO.fill(buffer, from: descriptor, at: 0) }
        }
        return try result.get()
    }

    /// Replaces the contents with these bytes. They are on the device when the method returns.
    func replace(with bytes: Data) throws {
        if let status = try? FileStatus(path: path, followsLinks: false) { try checkKind(status) }
        let place = place
        try SystemError.mapping {
            let directory = try DirectoryDescriptor(path: place.directory)
            try bytes.withUnsafeBytes { try directory.replaceFile(place.name, with: $0, isDurable: true, step: step) }
        } to: {
            CookieFileError($0, at: path)
        }
    }

    /// Moves the file to ``damagedPath``, so that it is not read again. It replaces an older damaged file.
    func setAside() throws(CookieFileError) {
        do {
            try FileSystem.rename(path, to: damagedPath)
            try DirectoryDescriptor(path: place.directory).sync()
        } catch {
            throw CookieFileError(error, at: path)
        }
    }

    private func checkKind(_ status: FileStatus) throws(CookieFileError) {
        switch status.kind {
        case .file: return
        case .symbolicLink: throw CookieFileError(.symbolicLink, "is a symbolic link", at: path)
        case .directory, .other: throw CookieFileError(.notAFile, "is not a regular file", at: path)
        }
    }
}

extension CookieFileError {
    /// Converts a system error.
    /// - Parameter path: the path to report if the error has none.
    fileprivate init(_ error: SystemError, at path: String) {
        self.init(.io, error.description, at: error.path ?? path)
    }
}

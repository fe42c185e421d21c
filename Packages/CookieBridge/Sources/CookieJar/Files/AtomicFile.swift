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

/// A file that is read and replaced as a whole: after a kill or a power cut the old bytes are there, or the new ones. Of
/// mode 0600. Symbolic links are not followed. One writer at a time.
struct AtomicFile: Sendable {
    typealias Step = DirectoryDescriptor.ReplacementStep

    let path: String
    /// Called after each step; what it throws ends the writing right there, as a kill would.
    let step: @Sendable (Step) throws -> Void

    /// Where a damaged file is put.
    var damagedPath: String { path + ".damaged" }

    /// The path of the directory, and the name of the file in it.
    private var place: (directory: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let name = String(path[path.index(after: slash)...])
        return (slash == path.utf8.startIndex ? "/" : String(path[..<slash]), name)
    }

    /// Reads all.
    /// - Returns: `nil` where there is no file, and no bytes but their number where there are too many.
    func read(upTo limit: Int) throws(CookieFileError) -> (bytes: Data, isTooLarge: Bool)? {
        let descriptor: CInt
        let status: FileStatus
        do {
            // A pipe in its place must not keep us waiting.
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
        // One byte more than it had, so that a file that grew is seen.
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

    /// Puts these bytes in the place of what is there; they are on the device when this returns.
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

    /// Puts the file where nobody takes it for a good one; one that is there already goes.
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
        case .directory, .other: throw CookieFileError(.notAFile, "is no file", at: path)
        }
    }
}

extension CookieFileError {
    /// Converts an error of the system.
    /// - Parameter path: the path that it is about, if the error does not say.
    fileprivate init(_ error: SystemError, at path: String) {
        self.init(.io, error.description, at: error.path ?? path)
    }
}

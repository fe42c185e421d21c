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

extension RepositoryFolder {
    /// Changes the files of the repository one after the other. Each change is atomic, and on the device before the
    /// next one. Symbolic links below the folder are not followed.
    /// - Parameter before: a closure that is called before each step. If it throws, the changes end, as after a kill.
    /// - Throws: ``PublishingError`` with code `badValue` if a path does not stay below the folder, which changes
    ///   nothing, or `io`; the error of `before`.
    package func apply(_ steps: [RepositoryStep], before: (RepositoryStep) throws -> Void = { _ in }) throws {
        for step in steps {
            _ = try Self.parts(of: step.path)
            if case .link(let source, _) = step { _ = try Self.parts(of: source) }
        }
        for step in steps {
            try before(step)
            do {
                try apply(step)
            } catch let error as SystemError {
                throw PublishingError(error)
            }
        }
    }

    private func apply(_ step: RepositoryStep) throws {
        let (folders, name) = try Self.parts(of: step.path)
        if case .remove = step {
            guard let directory = try? open(folders) else { return }
            try directory.remove(name)
            return
        }
        var folder = path
        for part in folders {
            folder += "/\(part)"
            try Self.makeSubfolder(folder)
        }
        let directory = try open(folders)
        switch step {
        case .write(_, let bytes):
            // Web servers and copies of other users read the file.
            try bytes.withUnsafeBytes { try directory.replaceFile(name, with: $0, mode: 0o644, isDurable: true) }
        case .move(let source, _):
            try FileSystem.rename(source, to: directory.location(of: name))
            try directory.sync()
        case .link(let source, _):
            let (sourceFolders, sourceName) = try Self.parts(of: source)
            guard try open(sourceFolders).status(of: sourceName)?.kind == .file else {
                throw PublishingError(.io, "not a regular file", at: "\(path)/\(source)")
            }
            try directory.remove(name)
            do {
                try FileSystem.link("\(path)/\(source)", to: directory.location(of: name))
            } catch {
                // Some file systems have no hard links.
                let target = directory.location(of: name)
                try FileManager.default.copyItem(atPath: "\(path)/\(source)", toPath: target)
                let file = try FileIO.open(target, O_RDONLY)
                defer { close(file) }
                try FileIO.sync(file)
            }
            try directory.sync()
        case .remove: break
        }
    }

    /// Returns the names of the folders and of the file of a path in the repository.
    private static func parts(of path: String) throws(PublishingError) -> (folders: [String], name: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let name = parts.last, !parts.contains(where: { ["", ".", ".."].contains($0) }) else {
            throw PublishingError(.badValue, "no path below the folder of the repository", at: path)
        }
        return (Array(parts.dropLast()), name)
    }

    /// Opens a folder below that of the repository, without following symbolic links.
    private func open(_ folders: [String]) throws(SystemError) -> DirectoryDescriptor {
        var directory = try DirectoryDescriptor(path: path)
        for name in folders { directory = try directory.subdirectory(name) }
        return directory
    }

    /// Creates a folder below that of the repository, where no symbolic link is followed.
    static func makeSubfolder(_ path: String) throws(PublishingError) {
        if (try? FileStatus(path: path, followsLinks: false))?.kind == .symbolicLink {
            throw PublishingError(.io, "a symbolic link, which is not followed", at: path)
        }
        try makeFolder(path)
    }

    /// Creates a folder that all users can read, in an existing one.
    static func makeFolder(_ path: String) throws(PublishingError) {
        guard mkdir(path, 0o755) == 0 || errno == EEXIST && FileSystem.isDirectory(path) else {
            throw PublishingError(SystemError("mkdir", at: path))
        }
    }
}

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
    /// next one.
    /// - Parameter before: a closure that is called before each step. If it throws, the changes end, as after a kill.
    /// - Throws: ``PublishingError`` with code `io`, or the error of `before`.
    package func apply(_ steps: [RepositoryStep], before: (RepositoryStep) throws -> Void = { _ in }) throws {
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
        let parts = step.path.split(separator: "/").map(String.init)
        let folder = "\(path)/\(parts.dropLast().joined(separator: "/"))"
        let name = parts.last ?? ""
        if case .remove = step {
            guard let directory = try? DirectoryDescriptor(path: folder) else { return }
            try directory.remove(name)
            return
        }
        try Self.makeFolder(folder)
        let directory = try DirectoryDescriptor(path: folder)
        switch step {
        case .write(_, let bytes):
            // Web servers and copies of other users read the file.
            try bytes.withUnsafeBytes { try directory.replaceFile(name, with: $0, mode: 0o644, isDurable: true) }
        case .move(let source, _):
            try FileSystem.rename(source, to: directory.location(of: name))
            try directory.sync()
        case .link(let source, _):
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

    /// Creates a folder that all users can read, in an existing one.
    static func makeFolder(_ path: String) throws(PublishingError) {
        guard mkdir(path, 0o755) == 0 || errno == EEXIST && FileSystem.isDirectory(path) else {
            throw PublishingError(SystemError("mkdir", at: path))
        }
    }
}

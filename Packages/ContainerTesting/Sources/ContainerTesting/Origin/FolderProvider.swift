// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Hummingbird
internal import Logging
internal import NIOPosix
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A file provider for one folder. Links that lead out of the folder are not followed. Files and folders whose names
/// begin with a dot are not served, except `.well-known` (RFC 8615).
struct FolderProvider: FileProvider {
    typealias FileAttributes = LocalFileSystem.FileAttributes
    typealias FileIdentifier = String

    /// The path of the folder, absolute and without links.
    let root: String
    /// The path of a file that is not served, or `nil`.
    private let excludedFile: String?
    private let files: LocalFileSystem

    /// Creates a provider.
    /// - Parameters:
    ///   - folder: the path of the folder.
    ///   - excludedFile: the name of a file in the root of the folder that is not served, or `nil`.
    /// - Throws: ``ContainerTestingError`` with code `noSuchFolder`.
    init(_ folder: String, excludedFile: String?, logger: Logger) throws {
        guard let root = try? FileSystem.resolve(folder) else {
            throw ContainerTestingError(.noSuchFolder, "no such folder", at: folder)
        }
        do {
            _ = try DirectoryDescriptor(path: root)
        } catch {
            let reason = error.number == ENOTDIR ? "not a folder" : error.reason
            throw ContainerTestingError(.noSuchFolder, reason, at: folder)
        }
        self.root = root
        self.excludedFile = excludedFile.map { "\(root == "/" ? "" : root)/\($0)" }
        self.files = LocalFileSystem(rootFolder: root, threadPool: .singleton, logger: logger)
    }

    func getFileIdentifier(_ path: String) -> String? {
        // The system would end the path at a zero byte and open another file.
        guard !path.utf8.contains(0) else { return nil }
        // The system separates names by bytes: a character can contain a slash or a dot and a combining mark.
        let isHidden = path.utf8.split(separator: UInt8(ascii: "/")).contains { name in
            name.first == UInt8(ascii: ".") && !name.elementsEqual(".well-known".utf8)
        }
        guard !isHidden else { return nil }
        return files.getFileIdentifier(path)
    }

    func getAttributes(id: String) async throws -> FileAttributes? {
        guard let resolved = try? FileSystem.resolve(id),
            root == "/" || (resolved + "/").utf8.starts(with: (root + "/").utf8)
        else {
            return nil
        }
        let attributes = try await files.getAttributes(id: id)
        // A folder may have the name.
        if let excludedFile, resolved.utf8.elementsEqual(excludedFile.utf8), attributes?.isFolder == false {
            return nil
        }
        return attributes
    }

    func loadFile(id: String, context: some RequestContext) async throws -> ResponseBody {
        try await files.loadFile(id: id, context: context)
    }

    func loadFile(id: String, range: ClosedRange<Int>, context: some RequestContext) async throws -> ResponseBody {
        try await files.loadFile(id: id, range: range, context: context)
    }
}

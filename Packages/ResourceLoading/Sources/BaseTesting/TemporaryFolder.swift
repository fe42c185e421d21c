// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// A new folder for temporary files that is removed with its content when its last reference is released.
///
/// Isolation: any; all members may be called concurrently.
public final class TemporaryFolder: Sendable {
    /// The absolute path of the folder, without symbolic links.
    public let path: String

    /// Creates a folder in the system's folder for temporary files.
    /// - Throws: an error of Foundation if the folder cannot be created.
    public init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // `resolvingSymlinksInPath()` does not resolve the link /var of macOS.
        guard let resolved = realpath(folder, nil) else { throw CocoaError(.fileReadNoSuchFile) }
        defer { free(resolved) }
        path = String(cString: resolved)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and creates its missing parent folders.
    /// - Parameters:
    ///   - name: the path of the file, relative to the folder.
    ///   - bytes: the content of the file.
    /// - Returns: the absolute path of the file.
    @discardableResult
    public func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        let file = "\(path)/\(name)"
        let url = URL(fileURLWithPath: file)
        // `NSString` does not find a slash that forms a character with other scalars.
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
        return file
    }

    /// Returns the content of a UTF-8 text file.
    /// - Parameter name: the path of the file, relative to the folder.
    public func text(of name: String) throws -> String {
        try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }

    /// Returns the sorted relative paths of all files and folders below a folder, including hidden ones.
    /// - Parameter folder: a path relative to this folder; an empty path for this folder itself.
    public func names(below folder: String = "") throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.isEmpty ? path : "\(path)/\(folder)").sorted()
    }

    /// Returns the sorted relative paths of all files below a folder. Folders are omitted.
    /// - Parameter folder: a path relative to this folder; an empty path for this folder itself.
    public func files(in folder: String = "") throws -> [String] {
        try Self.files(in: folder.isEmpty ? path : "\(path)/\(folder)")
    }

    /// Returns the sorted relative paths of all files below any folder. Folders are omitted.
    /// - Parameter folder: an absolute path.
    public static func files(in folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { name in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(folder)/\(name)", isDirectory: &isDirectory)
                && !isDirectory.boolValue
        }.sorted()
    }
}

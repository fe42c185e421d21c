// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

extension FileOutput {
    /// Checks before the work begins that a file can be written later. The check changes no file.
    /// - Parameter makesFolder: A Boolean value that indicates whether the folder of the file is created later.
    /// - Throws: An I/O error that names the option.
    static func check(file path: String, of option: String, makesFolder: Bool = false) throws {
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) {
            guard !isDirectory.boolValue else { throw refusal("is a folder, not a file", option, path) }
            if !isReplaced(path) {
                guard FileManager.default.isWritableFile(atPath: path) else {
                    throw refusal("cannot be written", option, path)
                }
                return
            }
        }
        let folder = folder(of: path)
        if makesFolder { return try check(folder: folder, of: option) }
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw refusal("is in a folder that does not exist", option, path)
        }
        try probe(folder, option, path)
    }

    /// Checks before the work begins that a folder exists or can be created, and that files can be written to the
    /// folder. The check creates no folder.
    /// - Throws: An I/O error that names the option.
    static func check(folder path: String, of option: String) throws {
        var folder = URL(fileURLWithPath: path).standardizedFileURL
        var isDirectory: ObjCBool = false
        while !FileManager.default.fileExists(atPath: folder.path, isDirectory: &isDirectory), folder.path != "/" {
            folder.deleteLastPathComponent()
        }
        guard isDirectory.boolValue else { throw refusal("cannot become a folder", option, path) }
        try probe(folder.path, option, path)
    }

    /// Returns the folder of a file.
    static func folder(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }

    /// Creates and removes a file in the folder, because permissions do not show read-only file systems or access
    /// rules of the system.
    private static func probe(_ folder: String, _ option: String, _ path: String) throws {
        let file = "\(folder)/.container-browser-\(UUID().uuidString)"
        guard FileManager.default.createFile(atPath: file, contents: nil) else {
            throw refusal("cannot be written", option, path)
        }
        try? FileManager.default.removeItem(atPath: file)
    }

    private static func refusal(_ what: String, _ option: String, _ path: String) -> CommandError {
        CommandError(.io, code: "io", "the path of \(option) \(what)", at: path)
    }
}

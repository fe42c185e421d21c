// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The files of a folder, and no others.
struct PreviewFolder {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Opens the file at a decoded path below the folder; `nil` where there is none, or where it lies outside.
    /// - Throws: `ResourceError` with code `ResourceError.Code.io` where it cannot be read.
    func file(at relative: String) throws -> FileSlice? {
        var relative = relative
        if relative.isEmpty || relative.utf8.last == UInt8(ascii: "/") { relative += "index.html" }
        // Links are followed here, once, so that what is compared is what is opened.
        guard let root = Self.resolve(path), let target = Self.resolve("\(path)/\(relative)"),
            target.utf8.starts(with: "\(root == "/" ? "" : root)/".utf8)
        else { return nil }
        var status = stat()
        // Asked before it is opened: opening a pipe would wait for its writer.
        guard stat(target, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let file = try OpenFile(path: target)
        guard fstat(file.descriptor, &status) == 0 else { return nil }
        return FileSlice(file, range: 0..<Int64(status.st_size))
    }

    private static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

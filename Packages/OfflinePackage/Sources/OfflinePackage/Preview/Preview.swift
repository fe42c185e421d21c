// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import PackageFormat
internal import ResourceLoading
internal import SystemSupport

/// A folder or a development server that stands in for a package, so that a site can be tried in the app before it is
/// packed. For debug builds: nothing of it is verified.
public struct Preview: Sendable, Hashable, CustomStringConvertible {
    /// Where the files come from.
    public enum Source: Sendable, Hashable {
        /// A folder on this machine, by its path; read anew for each request.
        case folder(String)
        /// A server, such as that of a bundler, by the URL that stands for the base URL.
        case server(PackageBaseURL)
    }

    /// What is covered.
    public var baseURL: PackageBaseURL
    public var source: Source

    public init(_ source: Source, over baseURL: PackageBaseURL) {
        self.source = source
        self.baseURL = baseURL
    }

    public var description: String {
        switch source {
        case .folder(let path): "preview of \(path) over \(baseURL)"
        case .server(let url): "preview of \(url) over \(baseURL)"
        }
    }

    func covers(_ url: PackageURL) -> Bool {
        PackageURL(baseURL.description)?.isPrefix(of: url) ?? false
    }
}

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
        guard let root = try? FileSystem.resolve(path), let target = try? FileSystem.resolve("\(path)/\(relative)"),
            target.utf8.starts(with: "\(root == "/" ? "" : root)/".utf8)
        else { return nil }
        // Asked before it is opened: opening a pipe would wait for its writer.
        guard (try? FileStatus(path: target, followsLinks: true))?.kind == .file else { return nil }
        let file = try OpenFile(path: target)
        guard let status = try? FileStatus(descriptor: file.descriptor) else { return nil }
        return FileSlice(file, range: 0..<status.size)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Packaging) public import PackageFormat
internal import ResourceLoading
internal import SystemSupport

/// A folder or a development server that replaces a package, so that a site can be tested in the app before it is
/// packed.
///
/// It is intended for debug builds, because nothing is verified.
public struct Preview: Sendable, Hashable, CustomStringConvertible {
    /// The location of the files.
    public enum Source: Sendable, Hashable {
        /// A folder on this machine, by its path. It is read again for each request, with the response fields of its
        /// file `_headers`.
        case folder(String)
        /// A server, for example of a bundler, by the URL that replaces the base URL.
        case server(PackageBaseURL)
    }

    /// The base URL that the preview covers.
    public var baseURL: PackageBaseURL
    /// The location of the files.
    public var source: Source

    /// Creates a preview.
    public init(_ source: Source, over baseURL: PackageBaseURL) {
        self.source = source
        self.baseURL = baseURL
    }

    /// A description for messages and provenance.
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

/// A folder that serves only files inside it, but not its file `_headers`.
struct PreviewFolder {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Opens the file at a decoded path below the folder. Returns `nil` if it does not exist, lies outside the folder,
    /// or is the file with the rules for response fields.
    ///
    /// Also returns `nil` for a path that no file of a package has: one with a segment that is empty, `.` or `..`. The
    /// rules do not apply to such a spelling of a file's path.
    /// - Throws: `ResourceError` with code `ResourceError.Code.io` if the file cannot be read.
    func file(at relative: String) throws -> FileSlice? {
        let segments = relative.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard !segments.contains(where: { $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) })
        else { return nil }
        // Links are resolved once here, so that the checked path is the opened path.
        guard let root = try? FileSystem.resolve(path), let target = try? FileSystem.resolve("\(path)/\(relative)"),
            case let prefix = "\(root == "/" ? "" : root)/", target.utf8.starts(with: prefix.utf8),
            !target.utf8.elementsEqual("\(prefix)\(HeadersFile.name)".utf8)
        else { return nil }
        // The kind is checked before the file is opened, because opening a pipe would wait for its writer.
        guard (try? FileStatus(path: target, followsLinks: true))?.kind == .file else { return nil }
        let file = try OpenFile(path: target)
        guard let status = try? FileStatus(descriptor: file.descriptor) else { return nil }
        return FileSlice(file, range: 0..<status.size)
    }

    /// Reads the rules for response fields.
    /// - Throws: `ResourceError` with code `ResourceError.Code.io` if the file with the rules cannot be read, or if
    ///   `h5 pack` would refuse it. The message names the line, and the location is the path of the file.
    func rules() throws -> [ResponseFieldRule] {
        do {
            return try HeadersFile.read(inFolder: path)?.rules ?? []
        } catch let error as PackageError {
            throw ResourceError(.io, error.message, at: error.location, cause: error)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport
internal import ZlibStreams

/// Why an archive, a manifest or a package was refused.
public struct PackageError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// Lower-case words joined by hyphens; programs print it.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The file is no archive of a known format.
        public static let notAnArchive = Code("not-an-archive")
        /// A feature that is not supported: a compression method, a split archive, a newer format.
        public static let unsupported = Code("unsupported")
        /// A name that could leave the target folder, or that not every file system can hold.
        public static let unsafePath = Code("unsafe-path")
        /// A link, a device, a socket or a pipe where only files and folders may be.
        public static let specialFile = Code("special-file")
        /// Two entries with one name, or with names that some file system takes for one.
        public static let duplicateEntry = Code("duplicate-entry")
        /// Two structures of an archive claim the same bytes, or bytes belong to none.
        public static let overlap = Code("overlap")
        /// Two descriptions of one entry disagree.
        public static let headerMismatch = Code("header-mismatch")
        /// An entry is encrypted.
        public static let encrypted = Code("encrypted")
        /// A structure or compressed data that cannot be, or a wrong checksum.
        public static let damaged = Code("damaged")
        /// The file ends before it should.
        public static let truncated = Code("truncated")
        /// A limit on bytes, on the ratio of compression or on the length of a name was passed.
        public static let tooLarge = Code("too-large")
        /// A limit on a count was passed.
        public static let tooMany = Code("too-many")
        /// The manifest cannot be understood, or contradicts itself.
        public static let badManifest = Code("bad-manifest")
        /// Archive and manifest name different files or sizes, or a file changed while it was read.
        public static let mismatch = Code("mismatch")
        /// A file's bytes do not have the digest that the manifest names.
        public static let digestMismatch = Code("digest-mismatch")
        /// The input does not exist, or holds nothing.
        public static let noInput = Code("no-input")
        /// The target exists and is not empty, or is in the way.
        public static let occupied = Code("occupied")
        /// The file system refused.
        public static let io = Code("io")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One line for people.
    public let message: String
    /// What it is about: a path in the file system, or a name inside of an archive.
    public let location: String?
    /// The error underneath, from another library.
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, at location: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.location = location
        self.cause = cause
    }

    public var description: String {
        location.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}

extension PackageError {
    fileprivate init(_ error: ZlibError, at name: String? = nil) {
        switch error {
        case .noMemory: self.init(.io, "zlib has no memory", at: name)
        case .needsDictionary: self.init(.damaged, "compressed data needs a dictionary", at: name)
        case .damaged(let reason):
            let reason = reason.map { $0.printable(limit: 200) } ?? "compressed data is not valid"
            self.init(.damaged, reason, at: name)
        }
    }
}

extension ZlibInflater {
    /// Creates an inflater.
    /// - Throws: ``PackageError`` with code ``PackageError/Code-swift.struct/io``.
    static func make(_ format: ZlibFormat) throws -> ZlibInflater {
        do {
            return try ZlibInflater(format)
        } catch {
            throw PackageError(error)
        }
    }

    /// Inflates as `inflate(_:into:)` does.
    /// - Throws: ``PackageError`` with code ``PackageError/Code-swift.struct/damaged``.
    func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, name: String
    ) throws -> (consumed: Int, produced: Int) {
        do {
            return try inflate(input, into: output)
        } catch {
            throw PackageError(error, at: name)
        }
    }
}

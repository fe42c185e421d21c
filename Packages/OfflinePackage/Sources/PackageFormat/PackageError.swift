// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport
internal import ZlibStreams

/// The reason for which an archive, a manifest, a package or a catalogue was refused.
public struct PackageError: CodedError {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<PackageError>

    /// The kind of the failure.
    public let code: Code
    /// A message of one line for people.
    public let message: String
    /// A path in the file system, a name in an archive, or a place in a catalogue.
    public let location: String?
    /// The underlying error of another library.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, at location: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.location = location
        self.cause = cause
    }
}

extension ErrorCode<PackageError> {
    /// The file is not an archive of a known format.
    public static var notAnArchive: Self { Self("not-an-archive") }
    /// The archive uses an unsupported feature: a compression method, a split archive or a newer format.
    public static var unsupported: Self { Self("unsupported") }
    /// A name could lead out of the target folder, or some file system cannot store it.
    public static var unsafePath: Self { Self("unsafe-path") }
    /// An entry is a link, a device, a socket or a pipe. Only files and folders are allowed.
    public static var specialFile: Self { Self("special-file") }
    /// Two entries have one name, or names that some file system does not distinguish.
    public static var duplicateEntry: Self { Self("duplicate-entry") }
    /// Two structures of an archive overlap, or bytes belong to no structure.
    public static var overlap: Self { Self("overlap") }
    /// Two descriptions of one entry disagree.
    public static var headerMismatch: Self { Self("header-mismatch") }
    /// An entry is encrypted.
    public static var encrypted: Self { Self("encrypted") }
    /// A structure or compressed data is invalid, or a checksum is wrong.
    public static var damaged: Self { Self("damaged") }
    /// The file ends early.
    public static var truncated: Self { Self("truncated") }
    /// A limit on bytes, on the compression ratio or on the length of a name is exceeded.
    public static var tooLarge: Self { Self("too-large") }
    /// A limit on a count is exceeded.
    public static var tooMany: Self { Self("too-many") }
    /// The manifest is invalid or contradicts itself.
    public static var badManifest: Self { Self("bad-manifest") }
    /// The catalogue is invalid.
    public static var badCatalogue: Self { Self("bad-catalogue") }
    /// The archive and the manifest name different files or sizes, or a file changed while it was read.
    public static var mismatch: Self { Self("mismatch") }
    /// The bytes of a file do not have the digest in the manifest.
    public static var digestMismatch: Self { Self("digest-mismatch") }
    /// The input does not exist or is empty.
    public static var noInput: Self { Self("no-input") }
    /// The target exists and is not empty, or is not a folder.
    public static var occupied: Self { Self("occupied") }
    /// The file system failed.
    public static var io: Self { Self("io") }
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
    /// - Throws: ``PackageError`` with code `io`.
    static func make(_ format: ZlibFormat) throws -> ZlibInflater {
        do {
            return try ZlibInflater(format)
        } catch {
            throw PackageError(error)
        }
    }

    /// Inflates as `inflate(_:into:)` does.
    /// - Throws: ``PackageError`` with code `damaged`.
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

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import GRDB
internal import SystemSupport

/// Why the store could not do what it was asked.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name: lower-case words joined by hyphens.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The directory is open already, in this process or another.
        public static let inUse = Code("in-use")
        /// The file system refused.
        public static let io = Code("io")
        /// What is on disk cannot be understood, or is not what was stored.
        public static let damaged = Code("damaged")
        /// The device has no room left.
        public static let diskFull = Code("disk-full")
        /// There is no such generation or blob.
        public static let notFound = Code("not-found")
        /// The request contradicts what is stored: two entries of one path, a blob that was never brought in.
        public static let conflict = Code("conflict")
        /// Bytes do not have the digest they were announced with.
        public static let digestMismatch = Code("digest-mismatch")
        /// The bytes do not fit into the budget beside what is in use.
        public static let overBudget = Code("over-budget")
        /// The store was told that the app is being suspended, and not yet that it goes on.
        public static let suspended = Code("suspended")
        /// The store was opened to read it, with ``BlobStore/init(inspecting:includingBlobs:configuration:)``.
        public static let readOnly = Code("read-only")
        /// Something in the directory, or the directory itself, is a link, is of another kind than the store makes, or
        /// belongs to another user. It was neither followed nor changed.
        public static let untrusted = Code("untrusted")
        /// A later version of the software wrote this directory.
        public static let newerFormat = Code("newer-format")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One line for people.
    public let message: String
    /// What it is about: a path.
    public let location: String?
    /// The error underneath, from another library.
    public let cause: (any Error)?

    /// Makes an error.
    /// - Parameters:
    ///   - code: what kind of failure it is.
    ///   - message: one line for people.
    ///   - location: what it is about; see ``location``.
    ///   - cause: the error underneath, from another library.
    public init(_ code: Code, _ message: String, at location: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        // SQLite describes what is wrong in several lines, and quotes names that it has read.
        self.message = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        self.location = location
        self.cause = cause
    }

    /// `<code>: <message> (<location>)`.
    public var description: String {
        location.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}

extension StoreError {
    /// Runs what asks a database, and gives GRDB's errors the store's type. Other errors pass.
    /// - Parameter path: the database's.
    static func mapping<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw StoreError(error, at: path)
        } catch let error as RowDecodingError {
            throw StoreError(.damaged, "a column has a value of another type", at: path, cause: error)
        }
    }

    private init(_ error: DatabaseError, at path: String) {
        let code: Code =
            switch error.extendedResultCode {
            // The size of the shared index is set by writing to it: this is how a full disk shows there.
            case .SQLITE_FULL, .SQLITE_IOERR_SHMSIZE: .diskFull
            default:
                switch error.resultCode {
                case .SQLITE_FULL: .diskFull
                case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
                case .SQLITE_CONSTRAINT: .conflict
                // What GRDB answers between its suspension and its resumption.
                case .SQLITE_ABORT, .SQLITE_INTERRUPT: .suspended
                default: .io
                }
            }
        self.init(code, error.message ?? error.resultCode.description, at: path, cause: error)
    }
}

extension StoreError {
    /// Converts an error of the system.
    /// - Parameter path: the path that it is about. Default: that of the error.
    init(_ error: SystemError, at path: String? = nil) {
        self.init(error.isOutOfSpace ? .diskFull : .io, error.description, at: path ?? error.path)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import GRDB
public import SystemSupport

/// The reason why an operation of the store failed.
public struct StoreError: CodedError {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<StoreError>

    /// The kind of the failure.
    public let code: Code
    /// A message of one line for people.
    public let message: String
    /// The path that the error is about.
    public let location: String?
    /// The underlying error of another library.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, at location: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        // SQLite's messages can have several lines and can quote names from the file.
        self.message = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        self.location = location
        self.cause = cause
    }
}

extension ErrorCode<StoreError> {
    /// The directory is already open, in this process or another process.
    public static var inUse: Self { Self("in-use") }
    /// The file system failed.
    public static var io: Self { Self("io") }
    /// The data on disk cannot be read, or differs from the stored data.
    public static var damaged: Self { Self("damaged") }
    /// The device has no free space.
    public static var diskFull: Self { Self("disk-full") }
    /// The generation or blob does not exist.
    public static var notFound: Self { Self("not-found") }
    /// The request contradicts the stored data, for example two entries with one path or a blob that is missing.
    public static var conflict: Self { Self("conflict") }
    /// The bytes do not have the announced digest.
    public static var digestMismatch: Self { Self("digest-mismatch") }
    /// The bytes do not fit into the budget in addition to the bytes in use.
    public static var overBudget: Self { Self("over-budget") }
    /// The store is suspended together with the app.
    public static var suspended: Self { Self("suspended") }
    /// The store was opened for reading only, with ``BlobStore/init(inspecting:includingBlobs:configuration:)``.
    public static var readOnly: Self { Self("read-only") }
    /// The directory or an item in it is a symbolic link, has an unexpected file type or belongs to another user. The
    /// store neither followed nor changed it.
    public static var untrusted: Self { Self("untrusted") }
    /// A later version of this library wrote the directory.
    public static var newerFormat: Self { Self("newer-format") }
}

extension StoreError {
    /// Runs a database access and converts errors of GRDB. Other errors pass unchanged.
    /// - Parameter path: the path of the database.
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
            // SQLite writes to the shared index to set its size. SQLite reports a full disk with this code there.
            case .SQLITE_FULL, .SQLITE_IOERR_SHMSIZE: .diskFull
            default:
                switch error.resultCode {
                case .SQLITE_FULL: .diskFull
                case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
                case .SQLITE_CONSTRAINT: .conflict
                // GRDB throws these while the database is suspended.
                case .SQLITE_ABORT, .SQLITE_INTERRUPT: .suspended
                default: .io
                }
            }
        self.init(code, error.message ?? error.resultCode.description, at: path, cause: error)
    }
}

extension StoreError {
    /// Runs system calls, and converts a `SystemError` that they throw. Other errors pass unchanged.
    /// - Parameter path: the path that the error is about. Default: the path of the `SystemError`.
    static func mappingSystem<Value>(at path: String? = nil, _ body: () throws -> Value) throws -> Value {
        try SystemError.mapping(body) { StoreError($0, at: path) }
    }

    /// Converts an error of the system.
    /// - Parameter path: the path that the error is about. Default: the path of `error`.
    init(_ error: SystemError, at path: String? = nil) {
        self.init(error.isOutOfSpace ? .diskFull : .io, error.description, at: path ?? error.path)
    }
}

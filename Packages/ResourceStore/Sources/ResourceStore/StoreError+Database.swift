// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import GRDB

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

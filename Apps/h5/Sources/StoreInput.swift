// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
@_spi(Facade) internal import ResourceStore

/// Functions that open stores for commands.
enum StoreInput {
    /// Opens a store read-only and runs `body` with the store. The directory is unchanged.
    /// - Parameter includingBlobs: A Boolean value that indicates whether `body` reads small blobs.
    /// - Throws: ``CommandError``, `CancellationError` or another error of `body`.
    static func read<Value>(
        _ directory: String, includingBlobs: Bool, _ body: (BlobStore) throws -> Value
    ) throws -> Value {
        try mapping(directory) {
            try body(BlobStore(inspecting: directory, includingBlobs: includingBlobs))
        }
    }

    /// Opens an existing store for changes and runs `body` on it.
    /// - Throws: ``CommandError``, `CancellationError` or another error of `body`.
    static func change<Value>(_ directory: String, _ body: (BlobStore) throws -> Value) throws -> Value {
        try mapping(directory) {
            // The store is inspected first, because opening it for changes creates a missing store and modifies an
            // existing one.
            do { _ = try BlobStore(inspecting: directory, includingBlobs: false).statistics() }
            return try body(BlobStore(directory: directory))
        }
    }

    private static func mapping<Value>(_ directory: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as StoreError where error.code == .notFound && error.location == directory {
            throw CommandError(.noInput, code: "no-input", "no store in this directory", at: directory)
        } catch let error as StoreError where error.code == .inUse {
            throw CommandError(.unavailable, code: "in-use", "another process has this store open", at: directory)
        } catch let error as StoreError {
            throw CommandError(error)
        }
    }
}

extension CommandError {
    /// Creates a command error with the exit status for a store error.
    init(_ error: StoreError) {
        let status: ExitStatus =
            switch error.code {
            case .damaged, .newerFormat, .untrusted: .badInput
            case .notFound: .noInput
            case .inUse: .unavailable
            default: .io
            }
        self.init(status, code: "\(error.code)", error.message, at: error.location)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
@_spi(Facade) internal import ResourceStore

/// Stores from the file system.
enum StoreInput {
    /// Opens a store only to read it, and runs `body` on it. Nothing in its directory is changed.
    /// - Parameter includingBlobs: whether `body` reads small blobs.
    /// - Throws: ``CommandError``, `CancellationError`, or what else `body` throws.
    static func read<Value>(
        _ directory: String, includingBlobs: Bool, _ body: (BlobStore) throws -> Value
    ) throws -> Value {
        try mapping(directory) {
            try body(BlobStore(inspecting: directory, includingBlobs: includingBlobs))
        }
    }

    /// Opens a store that is there to change it, and runs `body` on it.
    /// - Throws: ``CommandError``, `CancellationError`, or what else `body` throws.
    static func change<Value>(_ directory: String, _ body: (BlobStore) throws -> Value) throws -> Value {
        try mapping(directory) {
            // Opening a store makes one where there is none, and changes what is there. So it is looked at first.
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
    /// Gives a refusal of a store its exit status.
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

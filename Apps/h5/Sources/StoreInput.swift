// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
internal import ResourceStore

/// Stores from the file system.
enum StoreInput {
    /// Opens a store that is there, and runs `body` on it.
    /// - Throws: ``CommandError``, or what else `body` throws.
    static func with<Value>(_ directory: String, _ body: (ResourceStore) throws -> Value) throws -> Value {
        // To open a store would make one.
        guard FileManager.default.fileExists(atPath: directory + "/index.sqlite") else {
            throw CommandError(.noInput, code: "no-input", "no store in this directory", at: directory)
        }
        do {
            return try body(ResourceStore(directory: directory))
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
            case .damaged, .newerFormat: .badInput
            case .notFound: .noInput
            case .inUse: .unavailable
            default: .io
            }
        self.init(status, code: error.code.description, error.message, at: error.location)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContentDigest
import Foundation
import ResourceLoading

@testable import ResourceTable

/// A store in memory that outlives its libraries and can be configured to fail.
final class MemoryStore: TableStoring {
    struct Refusal: Error {}

    struct State {
        var files: [TableURL: (bytes: Data, md5: MD5Digest)] = [:]
        var documents: [TableDocument: Data] = [:]
        var refusesDocuments = false
        var refusesFiles = false
        var refusesReading = false
        /// A gate that blocks the storing of files.
        var gate: Gate?
        /// A gate that blocks the next reader after it has read.
        var readingGate: Gate?
    }

    let state = Mutex(State())

    var keys: Set<String> { state.withLock { Set($0.files.keys.map(\.description)) } }

    func files() async throws -> [TableURL: MD5Digest] {
        try state.withLock { state in
            if state.refusesReading { throw Refusal() }
            return state.files.mapValues(\.md5)
        }
    }

    func file(for key: TableURL) async throws -> TableFile? {
        let (file, gate) = try state.withLock { state -> (TableFile?, Gate?) in
            if state.refusesReading { throw Refusal() }
            defer { state.readingGate = nil }
            return (state.files[key].map { TableFile(md5: $0.md5, body: .bytes($0.bytes)) }, state.readingGate)
        }
        try await gate?.wait()
        return file
    }

    func put(_ content: Data, md5: MD5Digest, for key: TableURL) async throws {
        try await state.withLock(\.gate)?.wait()
        try state.withLock { state in
            if state.refusesFiles { throw Refusal() }
            state.files[key] = (content, md5)
        }
    }

    func copy(_ files: [TableURL], to keys: [TableURL]) async throws {
        try state.withLock { state in
            if state.refusesFiles { throw Refusal() }
            let found = files.map { state.files[$0] }
            for (key, file) in zip(keys, found) { file.map { state.files[key] = $0 } }
        }
    }

    func remove(_ keys: [TableURL]) async throws {
        state.withLock { state in
            for key in keys { state.files[key] = nil }
        }
    }

    func document(_ name: TableDocument) async throws -> Data? {
        state.withLock { $0.documents[name] }
    }

    func put(_ document: Data, as name: TableDocument) async throws {
        try state.withLock { state in
            if state.refusesDocuments { throw Refusal() }
            state.documents[name] = document
        }
    }
}

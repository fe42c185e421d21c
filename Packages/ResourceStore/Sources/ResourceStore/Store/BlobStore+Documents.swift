// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
public import Foundation
internal import SystemSupport

/// Documents: what an owner of resources must find again beside them, such as the table that names them.
///
/// There are few, nothing evicts them, and they count for no budget. Each is a file under `documents/` that begins with
/// the SHA-256 of what follows.
extension BlobStore {
    /// The most bytes of a document: 128 MB.
    public static let documentLimit = 128 << 20

    /// What a document holds.
    /// - Parameter name: 1 to 64 letters of `a` to `z`, digits and hyphens.
    /// - Returns: `nil` where it was never put, or is damaged: it was dropped and counted then.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/conflict`` for a name that is none.
    public func document(_ name: String) throws -> Data? {
        guard try documentSize(name) != nil else { return nil }
        if let content = try readDocument(name) { return content }
        state.withLock { $0.counters.damagedDocuments += 1 }
        // Where this fails, the digest says so again when it is next read.
        try? writing { try documentFolder()?.remove(name) }
        return nil
    }

    /// Keeps a document in place of the one before. Blocks until it is safe from a power cut: a kill or a power cut
    /// before that leaves the one or the other.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/conflict`` for a name that is none, and
    ///   ``StoreError/Code-swift.struct/overBudget`` past ``documentLimit``; nothing has changed then.
    public func putDocument(_ content: Data, as name: String) throws {
        try checkName(ofDocument: name)
        guard content.count <= Self.documentLimit else {
            throw StoreError(
                .overBudget, "document of \(content.count) bytes, the limit is \(Self.documentLimit)",
                at: "\(directory)/documents/\(name)")
        }
        try writing {
            let file = try makeStagedFile()
            try file.write(Data(SHA256Digest(of: content).bytes))
            try file.write(content)
            // Before it takes the other's name: else a power cut could leave a name without bytes.
            try file.secure()
            try onStep(.documentWritten)
            let folder = try root.makeSubfolder("documents")
            try file.move(to: folder, name)
            try folder.secure()
            try onStep(.documentPlaced)
        }
    }

    /// What a document holds that is there; `nil` where it is damaged.
    func readDocument(_ name: String) throws -> Data? {
        try checkName(ofDocument: name)
        let limit = Self.documentLimit + SHA256Digest.byteCount
        guard let content = try documentFolder()?.contents(of: name, upTo: limit) else { return nil }
        let body = content.dropFirst(SHA256Digest.byteCount)
        return SHA256Digest(of: body) == SHA256Digest(bytes: content.prefix(SHA256Digest.byteCount)) ? body : nil
    }

    /// The size in bytes of a document's file; `nil` if there is none.
    func documentSize(_ name: String) throws -> Int64? {
        try checkName(ofDocument: name)
        return try documentFolder()?.status(of: name)?.size
    }

    /// The names of all documents, sorted.
    func documentNames() throws -> [String] {
        try (documentFolder()?.names() ?? []).filter(Self.isDocumentName).sorted()
    }

    private func documentFolder() throws -> PrivateFolder? {
        try root.subfolder("documents", tightens: copy == nil)
    }

    private func checkName(ofDocument name: String) throws {
        guard Self.isDocumentName(name) else {
            throw StoreError(.conflict, "a document's name has letters, digits and hyphens", at: directory)
        }
    }

    private static func isDocumentName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
            }
    }
}

/// A document of a store, read and written on a thread of its own in the order of the calls.
///
/// Isolation: any.
public final class StoredDocument: Sendable {
    private let name: String
    private let store: BlobStore
    private let queue: SerialQueue

    /// Makes a document.
    /// - Parameters:
    ///   - name: the name in the store; see `BlobStore.putDocument(_:as:)`.
    ///   - store: the store.
    public init(_ name: String, in store: BlobStore) {
        self.name = name
        self.store = store
        queue = SerialQueue("container.\(name)")
    }

    /// Reads the document.
    /// - Returns: `nil` if it was never written or is damaged.
    /// - Throws: ``StoreError``.
    public func read() async throws -> Data? {
        try await queue.run { [store, name] in try store.document(name) }
    }

    /// Replaces the document. Returns when it is safe from a power cut.
    /// - Throws: ``StoreError``.
    public func write(_ content: Data) async throws {
        try await queue.run { [store, name] in try store.putDocument(content, as: name) }
    }
}

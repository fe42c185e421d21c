// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
public import Foundation
internal import SystemSupport

/// Documents: data that belongs to resources, such as the table that lists the resources.
///
/// Documents are few, are never evicted, and do not count toward a budget. Each document is a file under `documents/`
/// that begins with the SHA-256 digest of its content.
extension BlobStore {
    /// The maximum size of a document: 128 MB.
    public static let documentLimit = 128 << 20

    /// Returns the content of a document.
    /// - Parameter name: 1 to 64 characters: the letters `a` to `z`, digits and hyphens.
    /// - Returns: `nil` if the document does not exist or is damaged. A damaged document is removed and counted.
    /// - Throws: ``StoreError``, with code `conflict` for an invalid name.
    public func document(_ name: String) throws -> Data? {
        guard try documentSize(name) != nil else { return nil }
        if let content = try readDocument(name) { return content }
        state.withLock { $0.counters.damagedDocuments += 1 }
        // If the removal fails, the next read detects the damage again.
        try? writing { try documentFolder()?.remove(name) }
        return nil
    }

    /// Replaces a document. Blocks until the new version is on the device. After a kill or a power failure, the old or
    /// the new version remains.
    /// - Throws: ``StoreError``, with code `conflict` for an invalid name, and with code `overBudget` if the content
    ///   exceeds ``documentLimit``. With these codes, nothing has changed.
    public func putDocument(_ content: Data, as name: String) throws {
        try checkName(ofDocument: name)
        guard content.count <= Self.documentLimit else {
            throw StoreError(
                .overBudget, "the document has \(content.count) bytes, the limit is \(Self.documentLimit)",
                at: "\(directory)/documents/\(name)")
        }
        try writing {
            let file = try makeStagedFile()
            try file.write(Data(SHA256Digest(of: content).bytes))
            try file.write(content)
            // Flushed before the move, because a power failure could otherwise leave the name without the bytes.
            try file.sync()
            try onStep(.documentWritten)
            let folder = try root.makeSubfolder("documents")
            try file.move(to: folder, name)
            try folder.sync()
            try onStep(.documentPlaced)
        }
    }

    /// Returns the content of an existing document, or `nil` if it is damaged.
    func readDocument(_ name: String) throws -> Data? {
        try checkName(ofDocument: name)
        let limit = Self.documentLimit + SHA256Digest.byteCount
        guard let content = try documentFolder()?.contents(of: name, upTo: limit) else { return nil }
        let body = content.dropFirst(SHA256Digest.byteCount)
        return SHA256Digest(of: body) == SHA256Digest(bytes: content.prefix(SHA256Digest.byteCount)) ? body : nil
    }

    /// Returns the size in bytes of a document's file, or `nil` if there is none.
    func documentSize(_ name: String) throws -> Int64? {
        try checkName(ofDocument: name)
        return try documentFolder()?.status(of: name)?.size
    }

    /// Returns the names of all documents, sorted.
    func documentNames() throws -> [String] {
        try (documentFolder()?.names() ?? []).filter(Self.isDocumentName).sorted()
    }

    private func documentFolder() throws -> PrivateFolder? {
        try root.subfolder("documents", tightens: copy == nil)
    }

    private func checkName(ofDocument name: String) throws {
        guard Self.isDocumentName(name) else {
            throw StoreError(.conflict, "a document's name has 1 to 64 letters, digits and hyphens", at: directory)
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

/// A document of a store that is read and written on its own serial queue, in the order of the calls.
///
/// Isolation: any.
@_spi(Facade) public final class StoredDocument: Sendable {
    private let name: String
    private let store: BlobStore
    private let queue: SerialQueue

    /// Creates an accessor of a document.
    /// - Parameters:
    ///   - name: the name in the store; see `BlobStore.putDocument(_:as:)`.
    ///   - store: the store.
    public init(_ name: String, in store: BlobStore) {
        self.name = name
        self.store = store
        queue = SerialQueue("container.\(name)")
    }

    /// Reads the document.
    /// - Returns: `nil` if it does not exist or is damaged.
    /// - Throws: ``StoreError``.
    public func read() async throws -> Data? {
        try await queue.run { [store, name] in try store.document(name) }
    }

    /// Replaces the document. Returns when the content is on the device.
    /// - Throws: ``StoreError``.
    public func write(_ content: Data) async throws {
        try await queue.run { [store, name] in try store.putDocument(content, as: name) }
    }
}

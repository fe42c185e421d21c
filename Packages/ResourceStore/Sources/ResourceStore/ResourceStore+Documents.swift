// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Crypto
internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Documents: what an owner of resources must find again beside them, such as the table that names them.
///
/// There are few, nothing evicts them, and they count for no budget. Each is a file under `documents/` that begins with
/// the SHA-256 of what follows.
extension ResourceStore {
    /// The most bytes of a document: 128 MB.
    public static let documentLimit = 128 << 20

    /// What a document holds.
    /// - Parameter name: 1 to 64 letters of `a` to `z`, digits and hyphens.
    /// - Returns: `nil` where it was never put, or is damaged: it was dropped and counted then.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/conflict`` for a name that is none.
    public func document(_ name: String) throws -> Data? {
        let path = try path(ofDocument: name)
        guard try FileSystem.size(of: path) != nil else { return nil }
        if let content = try readDocument(name) { return content }
        state.withLock { $0.counters.damagedDocuments += 1 }
        // Where this fails, the digest says so again when it is next read.
        try? writing { try FileSystem.remove(path) }
        return nil
    }

    /// Keeps a document in place of the one before. Blocks until it is safe from a power cut: a kill or a power cut
    /// before that leaves the one or the other.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/conflict`` for a name that is none, and
    ///   ``StoreError/Code-swift.struct/overBudget`` past ``documentLimit``; nothing has changed then.
    public func putDocument(_ content: Data, as name: String) throws {
        let path = try path(ofDocument: name)
        guard content.count <= Self.documentLimit else {
            throw StoreError(
                .overBudget, "document of \(content.count) bytes, the limit is \(Self.documentLimit)", at: path)
        }
        try writing {
            let file = try makeStagedFile()
            try file.write(Data(SHA256.hash(data: content)))
            try file.write(content)
            // Before it takes the other's name: else a power cut could leave a name without bytes.
            try FileSystem.secure(file.path)
            try onStep(.documentWritten)
            try FileSystem.makeDirectory(directory + "/documents")
            try FileSystem.move(file.path, to: path)
            try FileSystem.secure(directory + "/documents")
            try onStep(.documentPlaced)
        }
    }

    /// What a document holds that is there; `nil` where it is damaged.
    func readDocument(_ name: String) throws -> Data? {
        let path = try path(ofDocument: name)
        guard let size = try FileSystem.size(of: path), size <= Int64(Self.documentLimit + SHA256.byteCount) else {
            return nil
        }
        var content = Data(capacity: Int(size))
        try FileSystem.read(path) { content.append(contentsOf: $0) }
        let body = content.dropFirst(SHA256.byteCount)
        return SHA256.hash(data: body).elementsEqual(content.prefix(SHA256.byteCount)) ? body : nil
    }

    /// The names of all documents, sorted.
    func documentNames() throws -> [String] {
        try FileSystem.names(in: directory + "/documents").filter(Self.isDocumentName).sorted()
    }

    private func path(ofDocument name: String) throws -> String {
        guard Self.isDocumentName(name) else {
            throw StoreError(.conflict, "a document's name has letters, digits and hyphens", at: directory)
        }
        return "\(directory)/documents/\(name)"
    }

    private static func isDocumentName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
            }
    }
}

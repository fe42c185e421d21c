// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest

extension BlobStore {
    /// Says before anything is downloaded or unpacked whether a package can be taken in: whether so many bytes fit into
    /// ``Configuration/packageBudget`` beside the generations that are staged, active or pinned, and onto the device.
    /// Where they do not, it sweeps first.
    ///
    /// - Parameter bytes: of the blobs that are not in the store yet, unpacked.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/overBudget``, or
    ///   ``StoreError/Code-swift.struct/diskFull`` where the device has less room than that and what the database's log
    ///   takes meanwhile.
    public func ensureSpace(for bytes: Int64) throws {
        try makeSpace(for: bytes)
        // Small blobs are written to the log first, which is emptied at 64 MB.
        let (needed, overflow) = bytes.addingReportingOverflow(min(bytes, 64 << 20))
        func fits() throws -> Bool { try !overflow && freeBytes(directory) >= needed }
        if try fits() { return }
        // An install that failed may have left much.
        try sweep()
        guard try fits() else {
            throw StoreError(.diskFull, "the device has no room for \(bytes) bytes", at: directory)
        }
    }

    /// Makes room for a generation in the budget.
    func makeSpace(for entries: [StoredEntry]) throws {
        let sizes = Dictionary(entries.map { ($0.blob, $0.size) }, uniquingKeysWith: { first, _ in first })
        // Most packages fit as if all of it were new, and need no look at every blob.
        let most = try Self.sum(sizes.values, at: directory)
        let used = try index.packageBytes()
        guard !Self.fits(most, beside: used, within: configuration.packageBudget) else { return }
        let new = try index.newToPackages(of: sizes.keys)
        try makeSpace(for: Self.sum(new.map { sizes[$0] ?? 0 }, at: directory))
    }

    private func makeSpace(for bytes: Int64) throws {
        let budget = configuration.packageBudget
        if Self.fits(bytes, beside: try index.packageBytes(), within: budget) { return }
        try sweep()
        let claimed = try index.packageBytes()
        if Self.fits(bytes, beside: claimed, within: budget) { return }
        // Before anything is refused: a flipped bit in a table must not close the store.
        let used = try min(claimed, bytesOnDisk(of: index.packageBlobs()))
        guard Self.fits(bytes, beside: used, within: budget) else {
            throw StoreError(
                .overBudget, "\(bytes) bytes do not fit beside \(used) in use, the budget is \(budget)", at: directory)
        }
    }

    /// What blobs take on disk; what is not there takes nothing.
    private func bytesOnDisk(of blobs: [SHA256Digest]) throws -> Int64 {
        let rows = try rows.sizes(of: blobs)
        let files = try blobs.lazy.filter { rows[$0] == nil }.map { try fileSize(of: $0) ?? 0 }
        return try Self.sum(Array(rows.values) + files, at: directory)
    }

    private static func fits(_ bytes: Int64, beside used: Int64, within budget: Int64) -> Bool {
        let (sum, overflow) = used.addingReportingOverflow(max(0, bytes))
        return !overflow && sum <= budget
    }

    static func sum(_ sizes: some Sequence<Int64>, at path: String) throws -> Int64 {
        var total: Int64 = 0
        for size in sizes {
            let (sum, overflow) = total.addingReportingOverflow(size)
            guard size >= 0, !overflow else { throw StoreError(.conflict, "sizes that make no sense", at: path) }
            total = sum
        }
        return total
    }
}

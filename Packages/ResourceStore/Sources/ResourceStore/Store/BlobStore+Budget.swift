// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest

extension BlobStore {
    /// Checks in advance that ``Configuration/packageBudget`` and the device have space for a package, in addition to
    /// the staged, active and pinned generations. Call this method before a download or before unpacking. If the space
    /// is not sufficient, the store sweeps first.
    ///
    /// - Parameter bytes: the unpacked size in bytes of the blobs that the store does not have yet.
    /// - Throws: ``StoreError``, with code `overBudget`, or with code
    ///   `diskFull` if the device has less space than these bytes and the temporary
    ///   growth of the log.
    public func ensureSpace(for bytes: Int64) throws {
        try makeSpace(for: bytes)
        // Small blobs are written to the log first. The log is checkpointed at 64 MB.
        let (needed, overflow) = bytes.addingReportingOverflow(min(bytes, 64 << 20))
        func fits() throws -> Bool { try !overflow && freeBytes(directory) >= needed }
        if try fits() { return }
        // A failed install may have left many blobs.
        try sweep()
        guard try fits() else {
            throw StoreError(.diskFull, "the device has no space for \(bytes) bytes", at: directory)
        }
    }

    /// Ensures that a generation fits into the budget, and sweeps if necessary.
    func makeSpace(for entries: [StoredEntry]) throws {
        let sizes = Dictionary(entries.map { ($0.blob, $0.size) }, uniquingKeysWith: { first, _ in first })
        // Most packages fit even if all of their blobs are new, so that the blobs need not be looked up.
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
        // The sizes on disk are measured before the package is rejected, because a flipped bit in a recorded size must
        // not block the store.
        let used = try min(claimed, bytesOnDisk(of: index.packageBlobs()))
        guard Self.fits(bytes, beside: used, within: budget) else {
            throw StoreError(
                .overBudget, "\(bytes) bytes do not fit in addition to \(used) bytes in use, the budget is \(budget)",
                at: directory)
        }
    }

    /// Returns the size of blobs on disk in bytes. Missing blobs count as zero.
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
            guard size >= 0, !overflow else {
                throw StoreError(.conflict, "a size is negative, or the sum of the sizes overflows", at: path)
            }
            total = sum
        }
        return total
    }
}

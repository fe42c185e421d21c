// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import PackageFormat

extension RangePlan {
    /// How missing files of a package are fetched. Files without bytes need nothing.
    ///
    /// A first install answers pages while its archive arrives, and goes on after a cut: both are worth more than what
    /// ranges save, unless the store has half of its packed bytes, from another package or an earlier version.
    /// - Parameters:
    ///   - missing: files of `manifest`, each digest once.
    ///   - manifest: a validated one.
    ///   - isFirst: whether no version of the package is active.
    init(
        _ missing: [PackageManifest.File], of manifest: PackageManifest, isFirst: Bool, costs: Costs = Costs()
    ) {
        let missing = missing.filter { $0.size > 0 }
        guard let archive = manifest.archive, !missing.isEmpty else {
            self = missing.isEmpty ? .nothing : .whole
            return
        }
        if isFirst {
            var seen: Set<SHA256Digest> = []
            let distinct = manifest.files.filter { seen.insert($0.sha256).inserted }
            guard Self.packedBytes(of: missing) <= Self.packedBytes(of: distinct) / 2 else {
                self = .whole
                return
            }
        }
        let slices = missing.compactMap(\.slice)
        guard slices.count == missing.count else {
            self = .whole
            return
        }
        self.init(slices.map { $0.offset..<$0.end }, ofArchive: archive.size, costs: costs)
    }

    /// Slices share no bytes: together they are no more than the archive.
    private static func packedBytes(of files: [PackageManifest.File]) -> Int64 {
        files.reduce(0) { $0 + ($1.slice?.size ?? 0) }
    }
}

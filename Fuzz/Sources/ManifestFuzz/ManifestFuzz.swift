// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import FuzzSupport
internal import PackageFormat

/// Fuzzes the manifest and the range plan of an update. An accepted manifest must be equal after encoding and decoding,
/// and equal manifests must have equal bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzManifest(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Fuzz.run(bytes, count) { data in
        // The limits are the largest that a host can set, so that manifests with large sizes reach the plan.
        let raised = ManifestLimits(maxTotalBytes: .max, maxArchiveBytes: .max, maxRatio: .max, ratioFloor: .max)
        expectPlans(of: try PackageManifest(decoding: data, limits: raised))
        let manifest = try PackageManifest(decoding: data)
        Fuzz.expect((manifest.archive?.size ?? 0) <= 1 << 30, "an archive beyond the limit")
        let encoded = try manifest.encoded()
        let again = try PackageManifest(decoding: encoded)
        Fuzz.expect(again == manifest, "the decoded manifest differs")
        Fuzz.expect(try again.encoded() == encoded, "the encoded bytes differ")
        for file in manifest.files {
            guard let slice = file.slice, let archive = manifest.archive else { continue }
            Fuzz.expect(slice.offset >= 0 && slice.end <= archive.size, "a slice outside of its archive")
        }
    }
    return 0
}

/// Checks that a range plan exists for any set of missing files, and that it contains their bytes.
private func expectPlans(of manifest: PackageManifest) {
    var seen: Set<SHA256Digest> = []
    let files = manifest.files.filter { seen.insert($0.sha256).inserted }
    for step in 1...3 {
        let missing = files.enumerated().filter { $0.offset % step == 0 }.map(\.element)
        for isFirst in [true, false] {
            switch RangePlan(missing, of: manifest, isFirst: isFirst) {
            case .nothing: Fuzz.expect(missing.allSatisfy { $0.size == 0 }, "missing files are not fetched")
            case .whole: break
            case .ranges(let ranges):
                Fuzz.expect(ranges.count <= RangePlan.Costs().maxRanges, "\(ranges.count) ranges")
                Fuzz.expect(
                    zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }, "ranges that touch")
                let archive = 0..<(manifest.archive?.size ?? 0)
                Fuzz.expect(ranges.allSatisfy { archive.contains($0) }, "a range outside of the archive")
                for slice in missing.filter({ $0.size > 0 }).compactMap(\.slice) {
                    Fuzz.expect(
                        ranges.contains { $0.contains(slice.offset..<slice.end) }, "a slice is not fetched")
                }
            }
        }
    }
}

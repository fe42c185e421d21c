// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import ProgramTesting
import ResourceStore
import Testing

@testable import OfflinePackage

/// Complete updates on a disk that is full or becomes full.
@Suite(
    .timeLimit(.minutes(6)), .serialized, .enabled(if: SmallDisk.isAllowed, "skipped: cannot mount a tmpfs"))
struct FullDiskTests {
    /// A measurement that always reports enough space, so that the disk becomes full during the update.
    private struct BoundlessSpace: SpaceMeasuring {
        func availableBytes(at _: String) -> Int64 { .max }
    }

    private struct BoundlessRoom: SpaceEnsuring {
        func ensureSpace(for _: Int64) {}
    }

    /// The update fetches the complete archive or only ranges of it. The free space differs in each attempt.
    @Test(arguments: [true, false])
    func updateOnFullDisk(sharesFiles: Bool) async throws {
        let disk = try SmallDisk(kilobytes: 8_192)
        let depot = try Depot(store: disk.path + "/store")
        var old = site(seed: 0)
        var new = site(seed: 100)
        if sharesFiles { new.merge(old.filter { $0.key < "4" }) { $1 } }
        try depot.publish(old, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            func updater() -> PackageUpdater {
                depot.updater(network) {
                    $0.downloads.space = BoundlessSpace()
                    $0.space = BoundlessRoom()
                }
            }
            try await updater().update(from: network.source())
            let filler = disk.path + "/filler"
            var refusals: [String: Int] = [:]
            // The space that an update can reuse in existing files, such as the log of the database, is unspecified.
            // The loop therefore ends after a number of failures, not after a fixed number of versions.
            for version in 2..<10 where refusals.values.reduce(0, +) <= 3 {
                try depot.publish(new, version: "\(version)")
                var left = 0
                while true {
                    try fill(filler, leaving: left)
                    do {
                        try await updater().update(from: network.source())
                        break
                    } catch let error as StoreError {
                        refusals["store \(error.code)", default: 0] += 1
                        #expect(error.code == .diskFull, "\(left) bytes left: \(error)")
                    } catch let error as DeliveryError {
                        refusals["delivery \(error.code)", default: 0] += 1
                        #expect(error.code == .noSpace, "\(left) bytes left: \(error)")
                    }
                    #expect(try await depot.serves(old), "\(left) bytes left")
                    left += 48 << 10
                    try #require(left < 8 << 20, "the update never fits: \(refusals)")
                }
                #expect(try await depot.serves(new))
                swap(&old, &new)
            }
            print("updates refused because of missing space: \(refusals)")
            #expect(refusals.values.reduce(0, +) > 3)
        }
    }

    /// Fills the disk except for the given number of bytes.
    private func fill(_ file: String, leaving bytes: Int) throws {
        try? FileManager.default.removeItem(atPath: file)
        _ = FileManager.default.createFile(atPath: file, contents: nil)
        let handle = try #require(FileHandle(forWritingAtPath: file))
        defer { try? handle.close() }
        let piece = Data(count: 4_096)
        var size: UInt64 = 0
        // Any write error means that the disk is full.
        while (try? handle.write(contentsOf: piece)) != nil { size += 4_096 }
        try handle.truncate(atOffset: size > UInt64(bytes) ? size - UInt64(bytes) : 0)
    }

    private func site(seed: UInt64) -> [String: Data] {
        Dictionary(uniqueKeysWithValues: (0..<8).map { ("\($0).js", text(90_000, seed: seed + UInt64($0))) })
    }
}

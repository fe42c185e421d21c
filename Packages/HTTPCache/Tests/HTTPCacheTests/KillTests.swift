// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Dispatch
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import HTTPCache

/// Processes that are killed while they store, freshen, remove and evict entries.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct KillTests {
    static let kills = 100
    /// The capacity is too small for all entries.
    static let capacity: Int64 = 960_000
    private static let keys = 24

    private static func key(_ round: Int) -> CacheKey {
        CacheKey(partition: "https://site.test", url: "https://a.test/\(round % keys)")
    }

    /// The bytes of an entry are derived from its revision. Some fit in a row, others need a file.
    private static func bytes(_ revision: UInt64) -> Data {
        let text = "\(revision) of the entries, "
        return Data(String(repeating: text, count: 1 + Int(revision * 7919 % 119_000) / text.utf8.count).utf8)
    }

    private static func response(_ round: Int, validated: Int = 0) -> StoredResponse {
        let count = Int64(bytes(UInt64(round)).count)
        return StoredResponse(
            head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=\(validated)"]), selectors: [],
            requestTime: Date(timeIntervalSince1970: 1_000), responseTime: Date(timeIntervalSince1970: 1_000),
            range: 0..<count, length: count, revision: UInt64(round))
    }

    /// Uses a store until the process is killed.
    static func work(in path: String, from first: Int, microseconds: Int) async throws {
        DispatchQueue(label: "end").asyncAfter(deadline: .now() + .microseconds(microseconds)) {
            kill(getpid(), SIGKILL)
        }
        let store = try DiskCacheStore(directory: path, capacity: capacity)
        var round = first
        while true {
            let data = bytes(UInt64(round))
            let writer = store.makeWriter(for: key(round))
            // An unfinished writer stores nothing.
            _ = await store.makeWriter(for: key(round)).write(data)
            _ = await writer.write(data.prefix(1_000))
            _ = await writer.write(data.dropFirst(1_000))
            await writer.finish(response(round))
            // From here on, this entry must exist.
            try Data("\(round)".utf8).write(to: URL(fileURLWithPath: path + ".done"), options: .atomic)
            if round % 3 == 0 { await store.update(response(round, validated: round), for: key(round)) }
            if round % 5 == 0 { await store.remove(key(round + 3), variant: nil) }
            round += 1
        }
    }

    /// Reads all entries.
    /// - Returns: The revisions of the complete entries, by the index of their key.
    private func whole(in store: DiskCacheStore, _ comment: Comment) async throws -> [Int: UInt64] {
        var found: [Int: UInt64] = [:]
        for place in 0..<Self.keys {
            let responses = await store.responses(for: Self.key(place))
            #expect(responses.count <= 1, comment)
            guard let response = responses.first, let body = await store.body(of: response, for: Self.key(place))
            else { continue }
            #expect(try await body.body.collect(upTo: 1 << 20) == Self.bytes(response.revision), comment)
            found[place] = response.revision
        }
        return found
    }

    @Test func everyEntryIsCompleteOrMissing() async throws {
        let directory = try TemporaryFolder()
        let path = directory.path + "/cache"
        var random: UInt64 = 2_026
        var (done, most) = (0, 0)
        // On a busy machine the runs get longer, until enough of them were killed during an operation.
        for run in 0..<4 * Self.kills where run < Self.kills || done <= 2 * Self.kills || most < 8 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Some processes are killed before the store is open.
            let microseconds = 200 + Int((random >> 33) % 240_000) * (1 + run / Self.kills)
            await #expect(processExitsWith: .signal(SIGKILL), "run \(run)") {
                [path = path as String, first = done + 1 as Int, microseconds = microseconds as Int] in
                try await KillTests.work(in: path, from: first, microseconds: microseconds)
            }
            done = (try? String(contentsOfFile: path + ".done", encoding: .utf8)).flatMap { Int($0) } ?? 0
            let store = try DiskCacheStore(directory: path, capacity: Self.capacity)
            let found = try await whole(in: store, "run \(run), killed after \(microseconds) µs")
            if done > 0 { #expect(found[done % Self.keys] == UInt64(done), "run \(run)") }
            most = max(most, found.count)
        }
        // If not, the runs were too short, or nothing was evicted.
        #expect(done > 2 * Self.kills && (8..<Self.keys).contains(most), "\(done) rounds, \(most) entries")
        print("\(Self.kills) kills in \(done) rounds; at most \(most) entries were there")
        try await damage(path)
    }

    /// Damages files after a kill. None of their bytes may be returned.
    private func damage(_ path: String) async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            try await KillTests.work(in: path, from: 100_000, microseconds: 400_000)
        }
        let folder = path + "/blobs"
        let files = (FileManager.default.subpaths(atPath: folder) ?? []).map { "\(folder)/\($0)" }.filter {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder) && !isFolder.boolValue
        }
        #expect(!files.isEmpty)
        for (number, file) in files.enumerated() {
            var data = try Data(contentsOf: URL(fileURLWithPath: file))
            if number % 2 == 0 { data[data.count / 2] ^= 1 } else { data.removeLast() }
            try data.write(to: URL(fileURLWithPath: file))
        }
        let store = try DiskCacheStore(directory: path, capacity: Self.capacity)
        let found = try await whole(in: store, "spoilt")
        #expect(found.values.allSatisfy { Self.bytes($0).count < 65_536 })
        // A damaged entry is removed and can be stored again.
        let again = store.makeWriter(for: Self.key(1))
        _ = await again.write(Self.bytes(1))
        await again.finish(Self.response(1))
        #expect(try await whole(in: store, "again")[1] == 1)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContentDigest
import Foundation
import Testing

@testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct BlobCacheTests {
    private func id(_ number: Int) -> SHA256Digest { SHA256Digest(of: Data("\(number)".utf8)) }
    private let bytes = Data(count: 1_000 - BlobCache.overhead)

    @Test func staysWithinByteLimit() {
        let cache = BlobCache(capacity: 10_000)
        for number in 0..<100 { cache.insert(bytes, as: id(number)) }
        #expect(cache.figures.bytes == 10_000)
        #expect((0..<100).filter { cache.bytes(of: id($0)) != nil }.count == 10)
        #expect(cache.figures.hits == 10 && cache.figures.misses == 90)
    }

    @Test func requestedBlobsAreRetained() {
        let cache = BlobCache(capacity: 10_000)
        for number in 0..<10 { cache.insert(bytes, as: id(number)) }
        // Inserts a thousand blobs while two of the first are in use.
        for number in 10..<1_000 {
            #expect(cache.bytes(of: id(3)) != nil && cache.bytes(of: id(7)) != nil)
            cache.insert(bytes, as: id(number))
        }
        #expect(cache.bytes(of: id(0)) == nil)
    }

    @Test func evictsIfAllBlobsWereUsed() {
        let cache = BlobCache(capacity: 4_000)
        for number in 0..<4 {
            cache.insert(bytes, as: id(number))
            _ = cache.bytes(of: id(number))
        }
        cache.insert(bytes, as: id(4))
        #expect(cache.bytes(of: id(4)) == bytes)
        #expect(cache.bytes(of: id(0)) == nil)
    }

    @Test func removesBlobsAtAnyPosition() {
        for doomed in [0, 2, 4] {
            let cache = BlobCache(capacity: 20_000)
            for number in 0..<5 { cache.insert(bytes, as: id(number)) }
            cache.remove([id(doomed), id(doomed)])
            #expect(cache.figures.bytes == 4_000)
            for number in 5..<60 { cache.insert(bytes, as: id(number)) }
            #expect(cache.figures.bytes == 20_000)
            #expect(cache.bytes(of: id(59)) != nil)
        }
        let cache = BlobCache(capacity: 20_000)
        cache.insert(bytes, as: id(1))
        cache.removeAll()
        #expect(cache.figures.bytes == 0 && cache.bytes(of: id(1)) == nil)
        cache.insert(bytes, as: id(2))
        #expect(cache.bytes(of: id(2)) == bytes)
    }

    @Test func matchesReferenceModel() {
        // SIEVE as described in its paper, with a plain list.
        var queue: [(id: Int, visited: Bool)] = []
        var hand = 0
        let cache = BlobCache(capacity: 8_000)
        var random: UInt64 = 42
        for step in 0..<5_000 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // The distribution favours small numbers.
            let number = Int((random >> 33) % 40) * Int((random >> 50) % 40) / 40
            let place = queue.firstIndex { $0.id == number }
            #expect((cache.bytes(of: id(number)) != nil) == (place != nil), "step \(step)")
            if let place {
                queue[place].visited = true
                continue
            }
            if queue.count == 8 {
                while queue[hand].visited {
                    queue[hand].visited = false
                    hand = (hand + 1) % queue.count
                }
                queue.remove(at: hand)
                // After the newest blob, the hand restarts at the oldest blob, before the next insertion.
                if hand == queue.count { hand = 0 }
            }
            queue.append((number, false))
            cache.insert(bytes, as: id(number))
        }
    }

    @Test func rejectsLargeBlobsAndAllBlobsIfDisabled() {
        let cache = BlobCache(capacity: 2_000)
        cache.insert(bytes, as: id(1))
        #expect(cache.bytes(of: id(1)) == nil)
        let off = BlobCache(capacity: 0)
        off.insert(Data(), as: id(1))
        #expect(off.bytes(of: id(1)) == nil && off.figures.misses == 0)
    }

    @Test func storeCountsHitsAndReleasesMemory() throws {
        let directory = try TemporaryFolder()
        let store = try BlobStore(directory: directory.path)
        try store.install(["a": "hello"], version: "1")
        let id = SHA256Digest(of: Data("hello".utf8))
        for _ in 0..<3 { _ = try store.blob(id) }
        #expect(store.counters.memoryHits == 2 && store.counters.memoryMisses == 1)
        #expect(store.counters.memoryBytes == 5 + BlobCache.overhead)
        store.releaseMemory()
        #expect(store.counters.memoryBytes == 0)
        #expect(try store.bytes(of: id) == Data("hello".utf8))
        #expect(store.counters.memoryMisses == 2)
    }
}

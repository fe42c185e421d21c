// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import ResourceLoading
import Testing

@testable import LoopbackServer

@Suite("Certificates of hosts", .timeLimit(.minutes(1)))
struct LeafStoreTests {
    private let now = Date()

    @Test("Concurrent requests share one certificate and wait until it is trusted")
    func sharing() async throws {
        let gate = Gate()
        var trusting = Trusting()
        trusting.act = { _ in try await gate.passed() }
        let store = LeafStore(try LaunchAuthority(), trusting: trusting, limit: 8)
        let done = Log<Void>()
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let leaf = try await store.leaf(for: "shop.test")
                    done.append(())
                    return leaf.certificate
                }
            }
            _ = try await trusting.shown.entry(0)
            #expect(done.entries.isEmpty)
            gate.open()
            var certificates = Set<[UInt8]>()
            for try await certificate in group { certificates.insert(certificate) }
            #expect(certificates.count == 1)
        }
        #expect(trusting.shown.entries == ["shop.test"])
    }

    @Test("A failure is not cached")
    func failure() async throws {
        let failures = Mutex(1)
        var trusting = Trusting()
        trusting.act = { _ in
            let fails = failures.withLock { left in
                defer { left -= 1 }
                return left > 0
            }
            if fails { throw ResourceError(.internal, "a test") }
        }
        let store = LeafStore(try LaunchAuthority(), trusting: trusting, limit: 8)
        await #expect {
            try await store.leaf(for: "shop.test")
        } throws: { error in
            let error = error as? LoopbackError
            return error?.code == .trust && error?.location == "shop.test" && error?.cause is ResourceError
        }
        _ = try await store.leaf(for: "shop.test")
        #expect(trusting.shown.entries.count == 2)
    }

    @Test("The least recently used host is removed")
    func limit() async throws {
        let trusting = Trusting()
        let store = LeafStore(try LaunchAuthority(), trusting: trusting, limit: 2)
        for host in ["a.test", "b.test", "a.test", "c.test", "a.test", "b.test"] {
            _ = try await store.leaf(for: host)
        }
        #expect(trusting.shown.entries == ["a.test", "b.test", "c.test", "b.test"])
    }

    @Test("A certificate is renewed before it expires")
    func renewal() async throws {
        let trusting = Trusting()
        let store = LeafStore(try LaunchAuthority(), trusting: trusting, limit: 2)
        let first = try await store.leaf(for: "a.test", now: now)
        #expect(try await store.leaf(for: "a.test", now: now + 5 * 86_400).certificate == first.certificate)
        let second = try await store.leaf(for: "a.test", now: now + 6 * 86_400 + 60)
        #expect(second.certificate != first.certificate && second.end > first.end)
        #expect(trusting.shown.entries == ["a.test", "a.test"])
    }
}

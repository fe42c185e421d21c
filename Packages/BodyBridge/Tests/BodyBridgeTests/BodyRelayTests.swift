// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import ResourceLoading
import Testing

@testable import BodyBridge

@Suite("Body relay", .timeLimit(.minutes(3)))
struct BodyRelayTests {
    private let id: BodyID
    private let other: BodyID

    init() throws {
        id = try #require(BodyID(String(repeating: "a", count: 32)))
        other = try #require(BodyID(String(repeating: "b", count: 32)))
    }

    private func text(_ body: ResourceBody) async throws -> String {
        String(decoding: try await body.collect(upTo: 1 << 20), as: UTF8.self)
    }

    @Test("A body can be read once, whether its pieces or its request arrive first")
    func takenOnce() async throws {
        let relay = BodyRelay()
        try relay.putNow(Data("one ".utf8), at: 0, of: id)
        let body = try relay.removeBody(id, length: 7)
        #expect(throws: ResourceError.self) { try relay.removeBody(id, length: 7) }
        try await relay.put(Data("two".utf8), at: 4, of: id)
        #expect(try await text(body) == "one two")
        #expect(relay.bytes == 0 && relay.count == 0)

        async let late = text(relay.removeBody(other, length: 3))
        try await relay.put(Data("abc".utf8), at: 0, of: other)
        #expect(try await late == "abc")
        #expect(relay.bytes == 0 && relay.count == 0)
    }

    @Test("A repeated piece counts once, and a piece out of order is refused")
    func order() async throws {
        let relay = BodyRelay()
        try await relay.put(Data("ab".utf8), at: 0, of: id)
        try await relay.put(Data("ab".utf8), at: 0, of: id)
        #expect(throws: ResourceError.self) { try relay.putNow(Data("x".utf8), at: 3, of: id) }
        try relay.putNow(Data("cd".utf8), at: 2, of: id)
        #expect(try await text(relay.removeBody(id, length: 4)) == "abcd")
    }

    @Test("More bytes than the request announces are refused")
    func tooLong() async throws {
        let relay = BodyRelay()
        let body = try relay.removeBody(id, length: 2)
        #expect(throws: ResourceError.self) { try relay.putNow(Data("abc".utf8), at: 0, of: id) }
        try relay.putNow(Data("ab".utf8), at: 0, of: id)
        #expect(try await text(body) == "ab")
        try relay.putNow(Data("abc".utf8), at: 0, of: other)
        #expect(throws: ResourceError.self) { try relay.removeBody(other, length: 2) }
    }

    @Test("An empty body needs no pieces")
    func empty() throws {
        let relay = BodyRelay()
        guard case .empty = try relay.removeBody(id, length: 0) else {
            Issue.record("not empty")
            return
        }
        #expect(relay.count == 0)
    }

    @Test("A writer beyond the lead waits for the reader, and no piece is lost")
    func backPressure() async throws {
        var limits = BodyLimits()
        limits.lead = 10
        let relay = BodyRelay(limits: limits)
        let pieces = (0..<100).map { Data("\($0 % 10)".utf8) }
        let most = try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                for (offset, piece) in pieces.enumerated() { try await relay.put(piece, at: Int64(offset), of: id) }
                return 0
            }
            group.addTask {
                var most = 0
                var read = Data()
                guard case .stream(let stream) = try relay.removeBody(id, length: 100) else { return -1 }
                for try await piece in stream {
                    most = max(most, relay.bytes)
                    read += piece
                }
                #expect(read == pieces.reduce(Data(), +))
                return most
            }
            return try await group.reduce(0, max)
        }
        #expect((0...11).contains(most))
    }

    @Test("Limits on bytes and count")
    func limits() throws {
        var limits = BodyLimits()
        limits.bytes = 4
        limits.count = 1
        let relay = BodyRelay(limits: limits)
        try relay.putNow(Data("abc".utf8), at: 0, of: id)
        #expect(throws: ResourceError.self) { try relay.putNow(Data("de".utf8), at: 3, of: id) }
        #expect(throws: ResourceError.self) { try relay.putNow(Data("a".utf8), at: 0, of: other) }
        #expect(relay.bytes == 3)
        relay.drop(id)
        try relay.putNow(Data("a".utf8), at: 0, of: other)
    }

    @Test("Readers and writers receive an error when the page is closed")
    func removal() async throws {
        var limits = BodyLimits()
        limits.lead = 0
        let relay = BodyRelay(limits: limits)
        let body = try relay.removeBody(id, length: 5)
        let reading = Task { try await text(body) }
        let bringing = Task { try await relay.put(Data("abc".utf8), at: 0, of: other) }
        // The reader and the writer wait when both bodies are in the relay.
        while relay.count < 2 || relay.bytes < 3 { await Task.yield() }
        relay.removeAll()
        await #expect(throws: ResourceError.self) { try await reading.value }
        await #expect(throws: ResourceError.self) { try await bringing.value }
        #expect(relay.count == 0 && relay.bytes == 0)
    }

    @Test("An inactive body is dropped, and its request fails")
    func patience() async throws {
        var limits = BodyLimits()
        limits.patience = .milliseconds(1)
        let relay = BodyRelay(limits: limits)
        try relay.putNow(Data("a".utf8), at: 0, of: other)
        let error = await #expect(throws: ResourceError.self) { try await text(relay.removeBody(id, length: 5)) }
        #expect(error?.code == .timedOut)
        while relay.count > 0 { await Task.yield() }
        #expect(relay.bytes == 0)
    }

    @Test("A body is not dropped while its request does not read it")
    func heldBack() async throws {
        var limits = BodyLimits()
        limits.lead = 1
        let clock = PassingClock()
        let relay = BodyRelay(limits: limits, clock: clock)
        let body = try relay.removeBody(id, length: 4)
        let writing = Task { try await relay.put(Data("abcd".utf8), at: 0, of: id) }
        while relay.bytes < 4, relay.count > 0 { await Task.yield() }
        let before = clock.sleeps
        while clock.sleeps < before + 10, relay.count > 0 { await Task.yield() }
        #expect(try await text(body) == "abcd")
        try await writing.value
        #expect(relay.count == 0)
    }

    @Test("A body is dropped when its reader is released")
    func abandoned() async throws {
        let relay = BodyRelay()
        do { _ = try relay.removeBody(id, length: 5) }
        #expect(relay.count == 0)
        let body = try relay.removeBody(other, length: 5)
        let reading = Task { try await text(body) }
        while relay.count == 0 { await Task.yield() }
        reading.cancel()
        await #expect(throws: (any Error).self) { try await reading.value }
    }

    @Test("Relays share a budget, and return the bytes that they reserved")
    func sharedBudget() async throws {
        let budget = ByteBudget(limit: 8)
        let first = BodyRelay(budget: budget)
        var second: BodyRelay? = BodyRelay(budget: budget)
        try first.putNow(Data("12345".utf8), at: 0, of: id)
        #expect {
            try second?.putNow(Data("1234".utf8), at: 0, of: other)
        } throws: {
            ($0 as? ResourceError)?.code == .tooLarge
        }
        try second?.putNow(Data("123".utf8), at: 0, of: other)
        #expect(budget.used == 8)
        // A relay returns bytes to the budget when they are read, when their body is dropped, and when the relay is
        // released.
        #expect(try await text(first.removeBody(id, length: 5)) == "12345")
        #expect(budget.used == 3)
        try first.putNow(Data("12".utf8), at: 0, of: id)
        #expect(budget.used == 5)
        first.drop(id)
        #expect(budget.used == 3)
        try first.putNow(Data("12".utf8), at: 0, of: id)
        first.removeAll()
        #expect(budget.used == 3)
        second = nil
        #expect(budget.used == 0)
    }

    @Test(
        "A held body is complete before its request begins; a body longer than the lead takes no memory",
        arguments: [3, 40])
    func held(count: Int) async throws {
        var limits = BodyLimits()
        (limits.bytes, limits.lead) = (16, 8)
        let relay = BodyRelay(limits: limits)
        try relay.hold(id, length: Int64(count))
        #expect(relay.isIncomplete(id))
        let whole = Task { await relay.waitUntilWhole(id) }
        for offset in 0..<count {
            // No writer waits for a reader, even if the body is longer than the lead.
            try await relay.put(Data([UInt8(offset)]), at: Int64(offset), of: id)
        }
        await whole.value
        #expect(!relay.isIncomplete(id))
        #expect(relay.bytes == (count > limits.lead ? 0 : count))
        let body = try relay.removeBody(id, length: Int64(count))
        #expect(try await body.collect(upTo: 100) == Data((0..<count).map { UInt8($0) }))
        #expect(relay.bytes == 0 && relay.count == 0 && relay.state.withLock { $0.heldBytes } == 0)
    }

    @Test("Dropping a held body ends the wait for the body, and a body longer than announced is refused")
    func heldInVain() async throws {
        var limits = BodyLimits()
        limits.lead = 2
        let relay = BodyRelay(limits: limits)
        try relay.hold(id, length: 4)
        #expect(throws: ResourceError.self) { try relay.putNow(Data("12345".utf8), at: 0, of: id) }
        let whole = Task { await relay.waitUntilWhole(id) }
        relay.drop(id)
        await whole.value
        #expect(relay.count == 0 && relay.state.withLock { $0.heldBytes } == 0)
        // An unknown body causes no wait.
        await relay.waitUntilWhole(other)
    }

    @Test("Held bodies have a limit on disk; a body beyond the limit arrives with its request, like other bodies")
    func heldLimit() async throws {
        var limits = BodyLimits()
        (limits.lead, limits.heldBytes) = (2, 10)
        let relay = BodyRelay(limits: limits)
        try relay.hold(id, length: 8)
        try relay.hold(other, length: 8)
        #expect(relay.isIncomplete(id) && !relay.isIncomplete(other))
        relay.drop(id)
        relay.drop(other)
        try relay.hold(other, length: 8)
        #expect(relay.isIncomplete(other))
        relay.removeAll()
        #expect(relay.state.withLock { $0.heldBytes } == 0)
    }

    @Test("A held body can be read from its file while its pieces still arrive")
    func heldAndTaken() async throws {
        var limits = BodyLimits()
        limits.lead = 2
        let relay = BodyRelay(limits: limits)
        try relay.hold(id, length: 6)
        try relay.putNow(Data("ab".utf8), at: 0, of: id)
        let body = try relay.removeBody(id, length: 6)
        async let read = text(body)
        try relay.putNow(Data("cd".utf8), at: 2, of: id)
        try relay.putNow(Data("ef".utf8), at: 4, of: id)
        #expect(try await read == "abcdef")
    }

    @Test("The file of a held body is unlinked and readable only by this user")
    func heldFile() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try TemporaryBodyFile(in: folder.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        try file.write(Data("abc".utf8), at: 2)
        #expect(try file.read(3, at: 2) == Data("abc".utf8))
        #expect(throws: ResourceError.self) { try file.read(2, at: 4) }
        #expect(throws: ResourceError.self) { try TemporaryBodyFile(in: folder.path + "/none") }
    }
}

/// A clock that counts sleeps and ends them immediately.
private final class PassingClock: Clock {
    typealias Instant = ContinuousClock.Instant

    let now = ContinuousClock.now
    let minimumResolution = Duration.zero
    private let count = Mutex(0)
    var sleeps: Int { count.withLock { $0 } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        count.withLock { $0 += 1 }
        await Task.yield()
        try Task.checkCancellation()
    }
}

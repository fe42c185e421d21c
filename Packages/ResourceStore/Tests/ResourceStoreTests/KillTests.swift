// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import Testing

@_spi(Facade) @testable import ResourceStore

/// Tests of processes that are killed during installs, updates, sweeps and evictions.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct KillTests {
    static let configuration = BlobStore.Configuration(resourceBudget: 2_000, smallBlobLimit: 1_000)

    /// Returns the site of version `round`: unchanged, changed, added and removed files, both rows and files.
    static func site(_ round: Int) -> Site {
        var site = ["same": "the same in all", "same large": String(repeating: "s", count: 3_000)]
        for number in 0..<12 where (number + round) % 5 != 0 {
            site["\(number)"] = "\(number) of \(round / (number + 1))"
            site["\(number) large"] = String(repeating: "\(round % (number + 2))", count: 1_500 + number)
        }
        return site
    }

    static func resource(_ key: String) -> String { "bytes of \(key) " + String(repeating: "r", count: 500) }

    /// Uses a store until the timer terminates the process.
    static func work(in path: String, microseconds: Int) throws {
        // The default action of SIGPROF terminates the process immediately, as SIGKILL does. Unlike SIGKILL, a timer
        // can send it after an amount of processor time, so that the work progresses equally far on a busy machine.
        var timer = itimerval()
        timer.it_value.tv_sec = .init(microseconds / 1_000_000)
        timer.it_value.tv_usec = .init(microseconds % 1_000_000)
        #if canImport(Glibc)
            setitimer(.init(ITIMER_PROF.rawValue), &timer, nil)
        #else
            setitimer(ITIMER_PROF, &timer, nil)
        #endif
        let store = try BlobStore(directory: path, configuration: configuration)
        for number in try store.generations(in: .staged).map(\.number) { try store.retire(number) }
        var round = try store.activeGenerations().first.flatMap { Int($0.version) } ?? 0
        while true {
            round += 1
            try store.install(site(round), version: "\(round)")
            // From here on, this version or a later version must be active.
            try Data("\(round)".utf8).write(to: URL(filePath: path + ".done"), options: .atomic)
            try store.putResource(resource("\(round % 7)"), for: "\(round % 7)")
            try store.putDocument(Data(resource("\(round)").utf8), as: "about")
            try store.sweep()
        }
    }

    @Test func killedStoreOpensConsistently() async throws {
        let directory = try TemporaryFolder()
        let path = directory.path + "/store"
        var random: UInt64 = 2_026
        var versions: Set<Int> = []
        var last = 0
        // On a busy machine the runs get longer, until enough of them are killed during an operation.
        for run in 0..<800 where run < 200 || versions.count <= 20 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Some processes are killed before the store is open.
            let microseconds = 200 + Int((random >> 33) % 120_000) * (1 + run / 200)
            await #expect(processExitsWith: .signal(SIGPROF), "run \(run)") {
                [path = path as String, microseconds = microseconds as Int] in
                try KillTests.work(in: path, microseconds: microseconds)
            }
            let done = (try? String(contentsOfFile: path + ".done", encoding: .utf8)).flatMap { Int($0) } ?? 0
            let store = try BlobStore(directory: path, configuration: Self.configuration)
            let active = try store.activeGenerations()
            guard let generation = active.first else {
                #expect(done == 0, "run \(run): nothing is active")
                continue
            }
            let version = try #require(Int(generation.version))
            // The minimum of the active version. Several kills in a row may come between an activation and its record,
            // so the record alone may be too old.
            let least = max(done, last)
            last = version
            #expect(active.count == 1 && (version == least || version == least + 1), "run \(run)")
            #expect(try store.read(generation.number) == Self.site(version), "run \(run)")
            for (key, text) in try store.readResources() { #expect(text == Self.resource(key), "run \(run)") }
            #expect(try store.statistics().resources.bytes <= 2_000)
            if let document = try store.document("about") {
                #expect(
                    (1...least + 1).contains { Data(Self.resource("\($0)").utf8) == document }, "run \(run)")
            }
            if run % 20 == 0 { #expect(try store.check().isSound, "run \(run)") }
            #expect(store.counters.damagedDocuments == 0)
            #expect(store.counters.damagedBlobs == 0 && store.counters.lostRowDatabases == 0)
            versions.insert(version)
            if run % 10 == 0 {
                for number in try store.generations(in: .staged).map(\.number) { try store.retire(number) }
                try store.sweep()
                let resources = try store.readResources()
                #expect(try store.blobsOnDisk() == blobs(Self.site(version), resources), "run \(run)")
            }
        }
        // With fewer versions, the runs were too short to be killed during an operation.
        #expect(versions.count > 20)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Dispatch
import Foundation
import Testing

@testable import CookieJar

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tests with processes that are killed while a jar changes and its file is written.
@Suite(.timeLimit(.minutes(5)), .serialized)
final class CookieFileKillTests {
    private static let kills = 100
    private static let names = 24
    /// The name of the cookie whose value is the current round.
    private static let round = "round"
    private static let created = Date(timeIntervalSince1970: 1_700_000_000)

    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("killed-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("jar"), withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private static func identity(_ name: String) -> Cookie.Identity {
        Cookie.Identity(name: name, domain: "shop.example", isHostOnly: true, path: "/")
    }

    /// Returns a cookie's value, which depends on the round. Some values are long, so that a write takes time.
    private static func value(_ round: Int) -> String {
        "\(round)-" + String(repeating: "v", count: round * 7_919 % 3_900)
    }

    /// Returns the changes of a round, each with the resulting value of a cookie.
    private static func steps(_ round: Int) -> [(name: String, value: String?)] {
        var steps: [(String, String?)] = [("\(round % names)", value(round))]
        if round.isMultiple(of: 3) { steps.append(("\((round + 5) % names)", nil)) }
        return steps + [(Self.round, "\(round)")]
    }

    /// Returns all states that the file may have after a round: the state after the round, or after some steps of the
    /// next round.
    private static func states(_ round: Int) -> [[String: String]] {
        var values: [String: String] = [:]
        for past in 1..<(round + 1) { for step in steps(past) { values[step.name] = step.value } }
        var states = [values]
        for step in steps(round + 1).dropLast() {
            values[step.name] = step.value
            states.append(values)
        }
        return states
    }

    /// Changes a jar and writes its file until the process is killed.
    static func work(in folder: String, microseconds: Int) async throws {
        // The limit is wall-clock time, because most of a write waits for the device.
        DispatchQueue(label: "end").asyncAfter(deadline: .now() + .microseconds(microseconds)) {
            kill(getpid(), SIGKILL)
        }
        var options = CookieFile.Options()
        // Without a delay, changes in the middle of rounds are written as well, not only flushed rounds.
        options.delay = .zero
        let file = CookieFile(path: folder + "/jar/cookies", options: options)
        let jar = CookieStore(publicSuffixes: ListedSuffixes(), cookies: try file.load().cookies)
        file.follow(jar)
        var round = jar.cookie(identity(Self.round)).flatMap { Int($0.value) } ?? 0
        while true {
            round += 1
            for step in steps(round) {
                guard let value = step.value else {
                    jar.remove(identity(step.name))
                    continue
                }
                try jar.insert(
                    Cookie(identity(step.name), value: value, expires: .distantFuture, created: created))
            }
            try await file.flush()
            // From here on, the file holds this round or a later one.
            try Data("\(round)".utf8).write(to: URL(fileURLWithPath: folder + "/done"), options: .atomic)
        }
    }

    @Test func `A kill leaves every cookie that was flushed, and nothing half done`() async throws {
        var random = SeededGenerator(seed: 2_026)
        let path = folder.path + "/jar/cookies"
        var (last, cut) = (0, 0)
        var rounds: Set<Int> = []
        // On a busy machine, later processes run longer, until enough processes were killed during a write.
        for run in 0..<4 * Self.kills where run < Self.kills || rounds.count <= 20 || cut <= 5 {
            // Some processes are killed before the file is open.
            let microseconds = Int.random(in: 200..<60_000, using: &random) * (1 + run / Self.kills)
            await #expect(processExitsWith: .signal(SIGKILL), "run \(run)") {
                [folder = folder.path as String, microseconds = microseconds as Int] in
                try await CookieFileKillTests.work(in: folder, microseconds: microseconds)
            }
            let done = (try? String(contentsOfFile: folder.path + "/done", encoding: .utf8)).flatMap { Int($0) } ?? 0
            let read = try CookieFile(path: path).load()
            #expect(read.damage == nil && read.refused == 0, "run \(run)")
            let values = Dictionary(uniqueKeysWithValues: read.cookies.map { ($0.identity.name, $0.value) })
            let round = values[Self.round].flatMap { Int($0) } ?? 0
            // Several kills in a row may come between the write of a round and the record of the round.
            let least = max(done, last)
            #expect(round == least || round == least + 1, "run \(run): \(round) of \(least)")
            #expect(Self.states(round).contains(values), "run \(run), round \(round)")
            last = round
            rounds.insert(round)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/jar").sorted()
            #expect([[], ["cookies"], ["cookies", "cookies.new"], ["cookies.new"]].contains(files), "run \(run)")
            for file in files { #expect(try mode(of: file) == 0o600, "run \(run): \(file)") }
            if files.last == "cookies.new" { cut += 1 }
        }
        // Otherwise the runs were too short to interrupt a write.
        #expect(rounds.count > 20 && cut > 5, "\(last) rounds, \(cut) writes cut off")
        print("\(Self.kills) kills in \(last) rounds: \(cut) cut a write off")
        // The next write removes the files that the last process left.
        let jar = CookieStore(publicSuffixes: ListedSuffixes(), cookies: try CookieFile(path: path).load().cookies)
        let file = CookieFile(path: path)
        file.follow(jar)
        try await file.flush()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/jar") == ["cookies"])
    }

    private func mode(of file: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: "\(folder.path)/jar/\(file)")[.posixPermissions] as? Int
    }
}

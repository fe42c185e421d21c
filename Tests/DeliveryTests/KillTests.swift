// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import HTTPTypes
@_spi(Packaging) import PackageFormat
import ProgramTesting
import ResourceLoading
import ResourceStore
import Testing

@testable import OfflinePackage

/// An app that is killed repeatedly while it installs, updates and sweeps in one store.
@Suite(.timeLimit(.minutes(10)))
struct KillTests {
    static let kills = 200

    @Test func everyKillLeavesOldOrNewVersion() async throws {
        let depot = try Depot()
        let sites = Self.sites()
        for (version, site) in sites { try depot.publish(site, version: version) }
        let bystander = ["kept.js": text(5_000, seed: 77)]
        try depot.publish(bystander, id: "other", version: "1", base: "https://other.example/")
        let harness = Program("delivery-harness")
        let directory = depot.folder.path + "/killed"
        var configuration = OriginServer.Configuration(folder: depot.www)
        // The manifests of all versions have the same URL without the query, because a package is updated from one
        // source only.
        configuration.routes = [
            OriginRoute(.get, try #require(OriginPathPattern("/shop.json"))) { request in
                let path = "\(depot.www)/shop-\(request.query ?? "").json"
                return OriginResponse(body: .bytes(try Data(contentsOf: URL(filePath: path))))
            }
        ]
        try await Network.run(configuration) { (network) async throws in
            /// Runs the harness.
            /// - Parameter comesAlong: A Boolean value that indicates whether the packages are included in the app,
            ///   so that nothing is downloaded.
            func run(
                _ versions: String..., comesAlong: Bool = false, killedAfter instant: Int? = nil
            ) async throws -> Program.Outcome {
                let places = versions.map { version in
                    if comesAlong { return "\(depot.www)/\(version)" }
                    let names = version.split(separator: "-")
                    let query = names.dropFirst().first.map { "?\($0)" } ?? ""
                    return "\(network.server.url)/\(names[0]).json\(query)#https://\(names[0]).example/"
                }
                return try await harness.run(
                    [directory, instant.map { "\($0)" } ?? "-"] + places, in: depot.folder.path)
            }
            func begin() async throws {
                try? FileManager.default.removeItem(atPath: directory)
                let outcome = try await run("other")
                try #require(outcome.status == 0, "\(outcome.errors)")
            }
            // A run without a kill measures the duration.
            try await begin()
            let whole = try await run("shop-1", "shop-2", "shop-3")
            try #require(whole.status == 0, "\(whole.errors)")
            let length = try #require(Int(whole.output.filter(\.isNumber)))
            // The duration of a run in microseconds, without and with included packages.
            var lengths = [false: length, true: length / 4]
            var dice = Dice(seed: 2_026)
            var installed: String? = "3"
            var (round, killed) = (0, 0)
            var outcomes: [String: Int] = [:]
            // The kills must also hit the times after the first and the second activation.
            while killed < Self.kills || outcomes.count < 3, round < 4 * Self.kills {
                defer { round += 1 }
                // Every twentieth round is a first installation.
                if round % 20 == 0 {
                    try await begin()
                    installed = nil
                }
                let versions: [String] = ["1", "2", "3"]
                let first = versions.filter { $0 != installed }[dice.next(below: installed == nil ? 3 : 2)]
                let second = versions.filter { $0 != first }[dice.next(below: 2)]
                // The range exceeds the duration of a run, so that kills near its end are as frequent as kills near
                // its beginning.
                let comesAlong = round % 3 == 2
                let instant = dice.next(below: lengths[comesAlong, default: 0] * 5 / 4)
                let outcome = try await run(
                    "shop-\(first)", "shop-\(second)", comesAlong: comesAlong, killedAfter: instant)
                #expect(outcome.status == 0 || outcome.status == -9, "round \(round): \(outcome.errors)")
                // The speed of the machine may have changed.
                if let time = Int(outcome.output.filter(\.isNumber)) { lengths[comesAlong] = time }
                let found = try await check(directory, sites, bystander)
                #expect(
                    found == installed || found == first || found == second,
                    "round \(round), killed after \(instant) µs")
                if outcome.status == 0 {
                    #expect(found == second)
                } else {
                    killed += 1
                    // The machine is slower than in the last complete run.
                    let length = lengths[comesAlong, default: 0]
                    if found == installed, instant > length { lengths[comesAlong] = length * 5 / 4 }
                    outcomes[found == installed ? "former" : found == first ? "first" : "second", default: 0] += 1
                }
                installed = found
            }
            // A run without a kill removes all remains.
            let last = try await run("shop-1")
            #expect(last.status == 0, "\(last.errors)")
            #expect(try await check(directory, sites, bystander) == "1")
            let store = try BlobStore(directory: directory)
            #expect(try store.generations(in: .staged) == [])
            #expect(killed >= Self.kills)
            print("\(killed) kills in \(round) runs left: \(outcomes)")
            #expect(outcomes.count == 3)
        }
    }

    /// Returns the version that the store serves, after checking all its files. The unrelated package must be intact.
    private func check(
        _ directory: String, _ sites: [(String, [String: Data])], _ bystander: [String: Data]
    ) async throws -> String? {
        let library = try PackageLibrary(store: BlobStore(directory: directory))
        let loader = PackageLoader(library)
        for (path, content) in bystander {
            #expect(try await fetch("https://other.example/\(path)", loader) == content)
        }
        let version = library.installed.first { $0.id.description == "shop" }?.version.description
        for (path, content) in sites.first(where: { $0.0 == version })?.1 ?? [:] {
            #expect(
                try await fetch("https://shop.example/\(path)", loader) == content, "\(path) of \(version ?? "none")")
        }
        #expect(library.unreadableFiles == 0)
        return version
    }

    private func fetch(_ url: String, _ loader: PackageLoader) async throws -> Data? {
        let head = try #require(HTTPRequest(urlText: url))
        return try await loader.load(ResourceRequest(head))?.body.collect(upTo: 1 << 20)
    }

    /// Returns the sites of three versions. A small file differs between versions 1 and 2; in version 3, almost all
    /// files differ.
    private static func sites() -> [(String, [String: Data])] {
        var first: [String: Data] = [:]
        for index in 0..<20 { first["\(index).js"] = text(20_000, seed: UInt64(index)) }
        var second = first
        second["0.js"] = text(9_000, seed: 50)
        second["new.js"] = text(3_000, seed: 51)
        var third: [String: Data] = ["1.js": first["1.js"] ?? Data()]
        for index in 2..<20 { third["\(index).js"] = text(21_000, seed: UInt64(index) + 60) }
        return [("1", first), ("2", second), ("3", third)]
    }

    /// A deterministic random number generator.
    private struct Dice {
        private var state: UInt64

        init(seed: UInt64) {
            state = seed
        }

        mutating func next(below bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(max(bound, 1)))
        }
    }
}

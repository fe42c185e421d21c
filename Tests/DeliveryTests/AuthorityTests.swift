// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContainerTesting
import Foundation
import HTTPTypes
@_spi(Packaging) import PackageFormat
import ResourceLoading
import ResourceStore
import Testing

@testable import OfflinePackage

/// The checks of source, scope and sequence number: the packages that a server may publish.
@Suite(.timeLimit(.minutes(2)))
struct AuthorityTests {
    let depot: Depot
    let old = ["index.html": Data("old home".utf8)]
    let new = ["index.html": Data("new home".utf8)]

    init() throws {
        depot = try Depot()
    }

    /// Returns the code of the error of an update, or `nil` if the update succeeds. The error must be one line.
    private func refusal(
        _ updater: PackageUpdater, _ source: PackageSource, timing: ApplyTiming = .now
    ) async -> DeliveryError.Code? {
        do {
            try await updater.update(from: source, timing: timing)
            return nil
        } catch {
            #expect("\(error)".split(separator: "\n").count == 1)
            return (error as? DeliveryError)?.code
        }
    }

    private func run(
        edit: @escaping (inout PackageUpdater.Configuration) -> Void = { _ in },
        _ body: (Network, PackageUpdater) async throws -> Void
    ) async throws {
        try await Network.run(try depot.configuration()) { network in
            let updater = depot.updater(network, edit: edit)
            try await updater.start()
            try await body(network, updater)
        }
    }

    private func publishNumbered(_ sequence: Int64?, version: String, _ site: [String: Data]? = nil) throws {
        try depot.publish(site ?? ["index.html": Data(version.utf8)], version: version) { $0.sequence = sequence }
    }

    // MARK: Scope

    @Test func defaultScopeIsOriginOfServer() async throws {
        try await run { network, updater in
            let own = PackageSource("\(network.server.url)/shop.json")
            try depot.publish(old, version: "1", base: "https://bank.example/")
            #expect(await refusal(updater, own) == .outOfScope)
            try depot.publish(old, version: "1", base: "https://shop.example/")
            #expect(await refusal(updater, own) == .outOfScope)
            #expect(network.archiveRequests.isEmpty && depot.library.installed.isEmpty)
            try depot.publish(old, version: "1", base: "\(network.server.url)/app/")
            #expect(await refusal(updater, own) == nil)
        }
    }

    @Test func givenScopeIsKept() async throws {
        try await run { network, updater in
            var source = network.source()
            try depot.publish(old, version: "1", base: "https://shop.example/app/")
            #expect(await refusal(updater, source) == nil)
            // A base URL outside of the scope is refused. So is a base URL at another host than that of the installed
            // package, with any scope.
            source.scope = try PackageBaseURL("https://shop.example/app/")
            try depot.publish(new, version: "2", base: "https://shop.example/")
            #expect(await refusal(updater, source) == .outOfScope)
            try depot.publish(new, version: "2", base: "https://bank.example/")
            for scope in ["https://bank.example/", "https://shop.example/", "https://shop.example.bank.example/"] {
                source.scope = try PackageBaseURL(scope)
                #expect(await refusal(updater, source) == .outOfScope)
            }
            source.scope = nil
            #expect(await refusal(updater, source) == .outOfScope)
            #expect(depot.library.installed.map(\.version.description) == ["1"])
            // Without a scope, the scope of the installed package applies, not the origin of the manifest.
            try depot.publish(new, version: "2", base: "https://shop.example/new/")
            #expect(await refusal(updater, source) == nil)
        }
        // The scope also applies in the next process.
        let library = try PackageLibrary(store: depot.store)
        try await Network.run(try depot.configuration()) { network in
            let updater = depot.updater(network, library: library)
            var source = network.source()
            source.scope = try PackageBaseURL("https://bank.example/")
            try depot.publish(old, version: "3", base: "https://bank.example/")
            #expect(await refusal(updater, source) != nil)
        }
    }

    @Test func scopeOfBaselineIsBaseURL() async throws {
        try depot.publish(old, version: "1", base: "https://shop.example/app/")
        try await run { network, updater in
            try await updater.installBaseline(archive: "\(depot.www)/shop-1.zip", manifest: "\(depot.www)/shop-1.json")
            var source = PackageSource("\(network.server.url)/shop.json")
            // Without a package identifier in the source, this server may not update the baseline.
            try depot.publish(new, version: "2", base: "https://shop.example/app/")
            #expect(await refusal(updater, source) == .outOfScope)
            source.package = try PackageID("shop")
            for base in ["https://shop.example/", "https://shop.example/apps/", "https://bank.example/app/"] {
                try depot.publish(new, version: "2", base: base)
                #expect(await refusal(updater, source) == .outOfScope, "\(base)")
            }
            try depot.publish(new, version: "2", base: "https://shop.example/app/")
            #expect(await refusal(updater, source) == nil)
            #expect(depot.library.installed.map(\.version.description) == ["2"])
        }
    }

    // MARK: Id and source

    @Test func sourceServesOnePackage() async throws {
        try depot.publish(old, version: "1")
        try await run { network, updater in
            #expect(await refusal(updater, network.source()) == nil)
            try depot.publish(new, id: "bank", version: "1", base: "https://shop.example/bank/")
            try FileManager.default.removeItem(atPath: "\(depot.www)/shop.json")
            try FileManager.default.moveItem(atPath: "\(depot.www)/bank.json", toPath: "\(depot.www)/shop.json")
            #expect(await refusal(updater, network.source()) == .outOfScope)
            var named = network.source()
            named.package = try PackageID("shop")
            #expect(await refusal(updater, named) == .outOfScope)
            #expect(depot.library.installed.map(\.id.description) == ["shop"])
        }
    }

    @Test func onlyOwnSourceUpdatesPackage() async throws {
        try depot.publish(old, version: "1")
        try await run { network, updater in
            #expect(await refusal(updater, network.source()) == nil)
            try depot.publish(new, version: "2")
            try FileManager.default.copyItem(atPath: "\(depot.www)/shop.json", toPath: "\(depot.www)/evil.json")
            var source = network.source()
            source.manifestURL = "\(network.server.url)/evil.json"
            #expect(await refusal(updater, source) == .otherSource)
            source.package = try PackageID("shop")
            #expect(await refusal(updater, source) == .otherSource)
            #expect(await refusal(updater, source, timing: .nextLaunch) == .otherSource)
            #expect(depot.library.installed.map(\.version.description) == ["1"])
            // A manifest at another port is another source. The query and the fragment do not matter.
            try await Network.run(try depot.configuration()) { other in
                #expect(await refusal(updater, other.source()) == .otherSource)
            }
            source.manifestURL = "\(network.server.url)/shop.json?device=7#top"
            #expect(await refusal(updater, source) == nil)
            // If the host removes the package, another source may publish it.
            source.manifestURL = "\(network.server.url)/evil.json"
            _ = try await updater.remove(PackageID("shop"))
            #expect(await refusal(updater, source) == nil)
        }
    }

    @Test func sourceOfStagedVersionApplies() async throws {
        try depot.publish(old, version: "1")
        try await run { network, updater in
            #expect(await refusal(updater, network.source(), timing: .nextLaunch) == nil)
            try FileManager.default.copyItem(atPath: "\(depot.www)/shop.json", toPath: "\(depot.www)/evil.json")
            var source = network.source()
            source.manifestURL = "\(network.server.url)/evil.json"
            #expect(await refusal(updater, source) == .otherSource)
        }
    }

    // MARK: https

    /// A loader that serves files by name for any host and records the URLs.
    private struct AnyHost: ResourceLoader {
        let folder: String
        var redirect: String?
        let urls = Noted()

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            urls.add(request.head.urlText)
            let name = request.head.path?.split(separator: "/").last ?? ""
            if let redirect, request.head.authority != HTTPRequest(urlText: redirect)?.authority {
                return ResourceResponse(
                    head: HTTPResponse(status: .found, headerFields: [.location: "\(redirect)\(name)"]), body: .empty,
                    provenance: Provenance(.network, reason: "test"))
            }
            return ResourceResponse(
                head: HTTPResponse(status: .ok), body: .bytes(try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))),
                provenance: Provenance(.network, reason: "test"))
        }
    }

    @Test(
        "Only https and loopback are secure",
        arguments: [
            ("https://cdn.example/", "https://shop.example/", true), ("http://cdn.example/", nil, false),
            ("http://127.0.0.1.evil.example/", nil, false), ("http://127.evil.example/", nil, false),
            ("http://127.evil.5/", nil, false),
            ("http://localhost.example/", nil, false), ("http://192.168.0.1/", nil, false),
            ("http://127.0.0.1:81/", nil, true), ("http://127.8.9.1/", nil, true), ("http://[::1]:81/", nil, true),
            ("http://localhost/", nil, true), ("http://shop.localhost:8080/", nil, true),
            ("https://cdn.example/", "http://shop.example/", false),
        ])
    func security(_ server: String, _ base: String?, _ isAllowed: Bool) async throws {
        try depot.publish(old, version: "1", base: base ?? server)
        let loader = AnyHost(folder: depot.www)
        let source = try PackageSource(server + "shop.json", scope: base.map { try PackageBaseURL($0) })
        let updater = PackageUpdater(library: depot.library, loader: loader)
        #expect(await refusal(updater, source) == (isAllowed ? nil : .insecure))
        #expect(depot.library.installed.isEmpty != isAllowed)
        // If only the base URL is insecure, the manifest is requested. If the server is insecure, nothing is requested.
        #expect(loader.urls.all.count == (isAllowed ? 2 : base == nil ? 0 : 1))
        // A host may allow insecure URLs.
        let other = try BlobStore(directory: depot.folder.path + "/other")
        let library = try PackageLibrary(store: other, configuration: .init(allowsInsecure: true))
        #expect(await refusal(PackageUpdater(library: library, loader: loader), source) == nil)
    }

    @Test func archiveMustBeSecure() async throws {
        try depot.publish(old, version: "1")
        let loader = AnyHost(folder: depot.www)
        let updater = PackageUpdater(library: depot.library, loader: loader)
        let source = try PackageSource(
            "https://cdn.example/shop.json", archiveURL: "http://cdn.example/shop-1.zip",
            scope: PackageBaseURL("https://shop.example/"))
        #expect(await refusal(updater, source) == .insecure)
        #expect(loader.urls.all == ["https://cdn.example/shop.json"])
        for archive in ["\(depot.www)/shop-1.zip"] {
            try depot.publish(old, version: "1", base: "http://shop.example/")
            let error = await #expect(throws: DeliveryError.self) {
                try await updater.install(archive: archive, manifest: "\(depot.www)/shop.json")
            }
            #expect(error?.code == .insecure)
        }
        #expect(depot.library.installed.isEmpty)
    }

    @Test func redirectFromLocalhostMustBeSecure() async throws {
        try depot.publish(old, version: "1")
        let loader = AnyHost(folder: depot.www, redirect: "http://evil.example/")
        let updater = PackageUpdater(library: depot.library, loader: loader)
        let source = try PackageSource("http://127.0.0.1:1/shop.json", scope: PackageBaseURL("https://shop.example/"))
        #expect(await refusal(updater, source) == .insecure)
        #expect(loader.urls.all == ["http://127.0.0.1:1/shop.json"])
    }

    // MARK: Numbers

    @Test func olderManifestIsRejected() async throws {
        try publishNumbered(nil, version: "1")
        try await run { network, updater in
            #expect(await refusal(updater, network.source()) == nil)
            try publishNumbered(7, version: "2")
            #expect(await refusal(updater, network.source()) == nil)
            for (number, version) in [(6, "3"), (1, "1"), (nil, "1"), (nil, "3"), (7, "3")] as [(Int64?, String)] {
                try publishNumbered(number, version: version)
                #expect(await refusal(updater, network.source()) == .replayed, "\(number ?? 0) of \(version)")
                #expect(await refusal(updater, network.source(), timing: .nextLaunch) == .replayed)
            }
            #expect(network.archiveRequests.count == 2)
            try publishNumbered(7, version: "2")
            #expect(try await updater.update(from: network.source()).outcome == .unchanged)
            try publishNumbered(8, version: "3")
            #expect(await refusal(updater, network.source()) == nil)
        }
        // The next process also refuses the old manifest, after the host has removed the package.
        let library = try PackageLibrary(store: depot.store)
        try await Network.run(try depot.configuration()) { network in
            let updater = depot.updater(network, library: library)
            try publishNumbered(7, version: "2")
            _ = try await updater.remove(PackageID("shop"))
            #expect(await refusal(updater, network.source()) == .replayed)
            try publishNumbered(9, version: "4")
            #expect(await refusal(updater, network.source()) == nil)
        }
    }

    @Test func sequenceOfInstalledVersionCounts() async throws {
        let site = ["index.html": Data("1".utf8)]
        try publishNumbered(nil, version: "1", site)
        try await run { network, updater in
            #expect(await refusal(updater, network.source()) == nil)
            try publishNumbered(4, version: "1", site)
            #expect(try await updater.update(from: network.source()).outcome == .unchanged)
            try publishNumbered(3, version: "0")
            #expect(await refusal(updater, network.source()) == .replayed)
        }
    }

    @Test func stagedVersionHasSequence() async throws {
        try publishNumbered(1, version: "1")
        try await run { network, updater in
            #expect(await refusal(updater, network.source()) == nil)
            try publishNumbered(3, version: "3")
            #expect(await refusal(updater, network.source(), timing: .nextLaunch) == nil)
            try publishNumbered(2, version: "2")
            #expect(await refusal(updater, network.source(), timing: .nextLaunch) == .replayed)
        }
        let library = try PackageLibrary(store: depot.store)
        try await Network.run(try depot.configuration()) { network in
            try await depot.updater(network, library: library).start()
            #expect(library.installed.map(\.version.description) == ["3"])
        }
    }

    @Test func sequenceSurvivesLossOfDocument() async throws {
        try publishNumbered(5, version: "1")
        try await run { network, updater in
            #expect(await refusal(updater, network.source()) == nil)
            try depot.store.putDocument(Data("no JSON".utf8), as: "package-sequences")
            try publishNumbered(4, version: "0")
            #expect(await refusal(updater, network.source()) == .replayed)
        }
    }

    @Test func rolledBackManifestIsRejected() async throws {
        try publishNumbered(1, version: "1")
        try await run { network, updater in
            try await updater.update(from: network.source())
            let id = PageID(rawValue: 1)
            func page(_ id: PageID) -> PageReference {
                PageReference(id: id, documentURL: "https://shop.example/", generations: depot.library.pin(id))
            }
            await updater.report(BootReport(.healthy, of: page(id)))
            depot.library.unpin(id)
            try publishNumbered(2, version: "2")
            try await updater.update(from: network.source())
            await updater.report(BootReport(.failed("white"), of: page(PageID(rawValue: 2))))
            #expect(depot.library.installed.map(\.version.description) == ["1"])
            #expect(await refusal(updater, network.source()) == .quarantined)
            // Neither another version with the same number nor the older version, which was active before, is
            // accepted.
            try publishNumbered(2, version: "2.1")
            #expect(await refusal(updater, network.source()) == .replayed)
            try publishNumbered(1, version: "1")
            #expect(await refusal(updater, network.source()) == .replayed)
            #expect(depot.library.installed.map(\.version.description) == ["1"])
            try publishNumbered(3, version: "3")
            #expect(await refusal(updater, network.source()) == nil)
        }
    }

    // MARK: Stores of older builds

    /// Installs a generation as an older build did, without a scope and a sequence number.
    private func installAsBefore(
        base: String, _ rest: String, id: String = "shop", activates: Bool = true
    ) throws {
        let batch = depot.store.makeBatch()
        let content = Data("as before".utf8)
        let blob = try batch.add(content)
        let record = #"{"baseURL":"\#(base)","isComplete":false\#(rest)}"#
        let stored = try depot.store.stage(
            package: id, version: "0", metadata: Data(record.utf8),
            entries: [
                StoredEntry(path: "index.html", blob: blob, size: Int64(content.count), mediaType: "text/html")
            ], from: batch)
        if activates { try depot.store.activate(stored.number) }
    }

    @Test func packageOfOlderBuildKeepsIDAndOrigin() async throws {
        try await Network.run(try depot.configuration()) { network in
            let url = "\(network.server.url)/shop.json"
            try installAsBefore(
                base: "https://shop.example/app/", #","source":{"manifestURL":"\#(url.replacing("/", with: "\\/"))"}"#)
            let library = try PackageLibrary(store: depot.store)
            let updater = depot.updater(network, library: library)
            try await updater.start()
            #expect(try await depot.get("app/", by: .package(library)) == Data("as before".utf8))
            for base in ["https://bank.example/", "https://shop.example:444/", "\(network.server.url)/"] {
                try depot.publish(new, version: "1", base: base)
                #expect(await refusal(updater, PackageSource(url)) == .outOfScope, "\(base)")
            }
            try depot.publish(new, id: "bank", version: "1", base: "https://shop.example/")
            try Data(contentsOf: URL(filePath: "\(depot.www)/bank.json")).write(
                to: URL(filePath: "\(depot.www)/shop.json"))
            #expect(await refusal(updater, PackageSource(url)) == .outOfScope)
            try depot.publish(new, version: "1", base: "https://shop.example/")
            try FileManager.default.copyItem(atPath: "\(depot.www)/shop.json", toPath: "\(depot.www)/evil.json")
            #expect(await refusal(updater, PackageSource("\(network.server.url)/evil.json")) == .otherSource)
            // The scope is the whole origin, independent of the origin of the manifest.
            #expect(await refusal(updater, PackageSource(url)) == nil)
        }
    }

    @Test func baselineOfOlderBuildKeepsBaseURL() async throws {
        try await Network.run(try depot.configuration()) { network in
            try installAsBefore(base: "https://shop.example/app/", #","isBaseline":true"#)
            let updater = depot.updater(network, library: try PackageLibrary(store: depot.store))
            let source = try PackageSource("\(network.server.url)/shop.json", package: PackageID("shop"))
            try depot.publish(new, version: "1", base: "https://shop.example/")
            #expect(await refusal(updater, source) == .outOfScope)
            try depot.publish(new, version: "1", base: "https://shop.example/app/")
            #expect(await refusal(updater, source) == nil)
        }
    }

    @Test func stagedVersionOfOlderBuildMustLieInScope() async throws {
        try await Network.run(try depot.configuration()) { network in
            try installAsBefore(base: "https://shop.example/", "")
            try installAsBefore(base: "https://bank.example/", #","timing":"nextLaunch""#, activates: false)
            let library = try PackageLibrary(store: depot.store)
            #expect(try depot.store.generations(in: .staged).count == 1)
            #expect(try await depot.updater(network, library: library).start().isEmpty)
            #expect(library.installed.map(\.baseURL.description) == ["https://shop.example/"])
            #expect(try depot.store.generations(in: .staged).isEmpty)
        }
    }
}

/// A list of texts in the order of their arrival.
private final class Noted: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
}

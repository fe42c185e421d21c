// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContentDigest
import Foundation
import HTTPTypes
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@_spi(Facade) @testable import OfflinePackage
@testable import ResourceStore

/// Updates to manifests that the publisher has signed.
@Suite("Signed manifests", .timeLimit(.minutes(1)))
struct SignedManifestTests {
    private static let address = "https://updates.example/targets/shop.json"
    private static let folder = "https://cdn.example/shop/"
    private static let large = String(repeating: "x", count: 100_000)
    private let fixture: Fixture
    private let network = Files()
    private let signatures = Signatures()
    private let updater: PackageUpdater
    private let shop: PackageID
    private let source: PackageSource

    init() throws {
        fixture = try Fixture()
        updater = Self.makeUpdater(fixture, network, signatures)
        shop = try PackageID("shop")
        source = PackageSource(Self.address, package: shop)
    }

    /// A network with files in memory. Other URLs have status 404.
    private final class Files: ResourceLoader {
        private struct State {
            var files: [String: (status: Int, body: Data)] = [:]
            var urls: [String] = []
        }

        private let state = Mutex(State())

        func put(_ body: Data, status: Int = 200, at url: String) {
            state.withLock { $0.files[url] = (status, body) }
        }

        /// Returns the URLs of the requests so far and removes them.
        func takeURLs() -> [String] {
            state.withLock { state in
                defer { state.urls = [] }
                return state.urls
            }
        }

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            let url = request.head.urlText
            let file = state.withLock { state in
                state.urls.append(url)
                return state.files[url] ?? (404, Data())
            }
            return ResourceResponse(
                head: HTTPResponse(status: HTTPResponse.Status(code: file.status)), body: .bytes(file.body),
                provenance: Provenance(.network, reason: "test"))
        }
    }

    /// A source whose manifest a test sets.
    private final class Signatures: SignedManifestSource {
        struct Call: Equatable {
            let package: PackageID
            let device: DeviceVersions
        }

        private struct State {
            var manifest: SignedManifest?
            var calls: [Call] = []
            var onCall: (@Sendable (@escaping DocumentLoading) async throws -> Void)?
        }

        let channel = "production"
        private let state = Mutex(State())

        /// The manifest of the device, or `nil` if no release is for it.
        var manifest: SignedManifest? {
            get { state.withLock(\.manifest) }
            set { state.withLock { $0.manifest = newValue } }
        }

        var calls: [Call] { state.withLock(\.calls) }

        /// Sets a closure that is called before a manifest is returned, and can fail the call.
        func onCall(_ body: @escaping @Sendable (_ load: @escaping DocumentLoading) async throws -> Void) {
            state.withLock { $0.onCall = body }
        }

        func manifest(
            of package: PackageID, for device: DeviceVersions, load: @escaping DocumentLoading
        ) async throws -> SignedManifest? {
            let (manifest, onCall) = state.withLock { state in
                state.calls.append(Call(package: package, device: device))
                return (state.manifest, state.onCall)
            }
            try await onCall?(load)
            return manifest
        }

        func explain(_ package: PackageID, for device: DeviceVersions) async throws -> ReleaseExplanation {
            let verdicts = device.failed.map { version in
                ReleaseExplanation.Verdict(version: version, sequence: 1, reason: .failedTrial)
            }
            return ReleaseExplanation(package: package, verdicts: verdicts)
        }
    }

    /// A background downloader whose files are complete at once.
    private final class CompleteDownloads: BackgroundDownloading {
        private let files: [String: Data]
        private let onDownload: @Sendable () -> Void
        private let requested = Mutex<[String]>([])

        /// - Parameters:
        ///   - files: the files by their URL.
        ///   - onDownload: a closure that is called at the end of each download.
        init(_ files: [String: Data], onDownload: @escaping @Sendable () -> Void = {}) {
            self.files = files
            self.onDownload = onDownload
        }

        /// The URLs of the downloads.
        var urls: [String] { requested.withLock(\.self) }

        func download(_ download: BackgroundDownload) async throws {
            requested.withLock { $0.append(download.url) }
            onDownload()
        }

        func takeFile(of download: BackgroundDownload, to path: String) async throws -> Bool {
            guard let file = files[download.url] else { return false }
            try file.write(to: URL(filePath: path))
            return true
        }

        func cancel(_ prefix: String) async {}
    }

    private static func makeUpdater(
        _ fixture: Fixture, _ network: Files, _ signatures: Signatures?, scopes: [PackageBaseURL]? = nil,
        background: (any BackgroundDownloading)? = nil
    ) -> PackageUpdater {
        var configuration = PackageUpdater.Configuration()
        configuration.signedManifests = signatures
        configuration.signedScopes = scopes
        configuration.downloads.background = background
        configuration.downloads.retry.firstWait = .zero
        configuration.downloads.reserve = 0
        return PackageUpdater(library: fixture.library, loader: network, configuration: configuration)
    }

    /// Serves a manifest and its archive in a folder, and returns the manifest as the publisher signs it.
    private func publish(
        _ version: String, _ sequence: Int64? = nil, id: String = "shop", base: String = "https://shop.example/",
        in folder: String = Self.folder
    ) async throws -> SignedManifest {
        let site = ["index.html": "home \(version)", "large.js": Self.large]
        let path = try fixture.manifest(site, id: id, version: version, base: base) { $0.sequence = sequence }
        let manifest = try Data(contentsOf: URL(filePath: path))
        let archive = PackageDownload(url: "\(folder)\(id)-\(version).zip", size: nil, sha256: nil)
        fixture.archives.add(
            await updater.downloader.partialPath(of: archive),
            site.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
        network.put(Data("zip".utf8), at: archive.url)
        let url = "\(folder)\(version).json"
        network.put(manifest, at: url)
        return SignedManifest(
            url: url, byteCount: manifest.count, sha256: SHA256Digest(of: manifest),
            version: try PackageVersion(version), scope: try PackageBaseURL(base))
    }

    /// Returns the code of the error of an update, or `nil` if it succeeds.
    /// - Throws: other errors than `DeliveryError`.
    private func refusal(
        _ other: PackageSource? = nil, by updater: PackageUpdater? = nil, urgency: UpdateUrgency = .wanted
    ) async throws -> DeliveryError.Code? {
        do {
            try await (updater ?? self.updater).update(from: other ?? source, urgency: urgency)
            return nil
        } catch let error as DeliveryError {
            return error.code
        }
    }

    private var versions: [String] { fixture.library.installed.map(\.version.description) }

    // MARK: Manifests

    @Test("Manifest and archive come from the folder of the signed URL, and the signed scope applies")
    func signed() async throws {
        let manifest = try await publish("1")
        signatures.manifest = manifest
        var source = self.source
        source.scope = try PackageBaseURL("https://bank.example/")
        #expect(try await updater.update(from: source).outcome == .activated)
        #expect(network.takeURLs() == [manifest.url, "\(Self.folder)shop-1.zip"])
        #expect(signatures.calls == [Signatures.Call(package: shop, device: DeviceVersions())])
        #expect(try await fixture.get("https://shop.example/") == "home 1")
        // The address of the package is that of the source, which stays the same.
        let stored = try #require(try await fixture.library.source(of: shop))
        #expect(stored.manifestURL == Self.address && stored.package == shop && stored.scope == manifest.scope)
        // The manifest of the active version is not requested again; one with other bytes is.
        #expect(try await updater.update(from: source).outcome == .unchanged)
        #expect(network.takeURLs() == [])
        signatures.manifest = try await publish("2", in: "https://cdn.example/other/")
        #expect(try await updater.update(from: self.source).outcome == .activated)
        #expect(try await fixture.get("https://shop.example/") == "home 2")
    }

    @Test("Without signed manifests, the URL of the source is requested")
    func plain() async throws {
        let manifest = try await publish("1", base: "https://cdn.example/")
        let plain = Self.makeUpdater(fixture, network, nil)
        #expect(try await refusal(PackageSource(manifest.url), by: plain) == nil)
        #expect(network.takeURLs() == [manifest.url, "\(Self.folder)shop-1.zip"])
        #expect(try await plain.explainRelease(of: shop) == nil)
    }

    @Test("A source without a package is refused without a request")
    func sourceWithoutPackage() async throws {
        signatures.manifest = try await publish("1")
        #expect(try await refusal(PackageSource(Self.address)) == .unsigned)
        #expect(signatures.calls == [] && network.takeURLs() == [] && versions == [])
    }

    @Test("If no release is for the device, nothing is requested, and the active version stays")
    func noRelease() async throws {
        #expect(try await refusal() == .noRelease)
        #expect(network.takeURLs() == [])
        signatures.manifest = try await publish("1")
        #expect(try await refusal() == nil)
        _ = network.takeURLs()
        signatures.manifest = nil
        let update = try await updater.update(from: source)
        #expect(update.outcome == .unchanged && update.package?.version.description == "1")
        #expect(versions == ["1"] && network.takeURLs() == [])
    }

    @Test("A staged version is discarded if no release is for the device any more", arguments: [true, false])
    func stagedVersion(hasActive: Bool) async throws {
        if hasActive {
            signatures.manifest = try await publish("1")
            #expect(try await refusal() == nil)
        }
        signatures.manifest = try await publish("2")
        try await updater.update(from: source, timing: .nextLaunch)
        #expect(try await fixture.library.hasStagedGeneration(of: shop))
        signatures.manifest = nil
        #expect(try await refusal() == (hasActive ? nil : .noRelease))
        #expect(try await fixture.library.hasStagedGeneration(of: shop) == false)
        try await updater.start()
        #expect(versions == (hasActive ? ["1"] : []))
    }

    @Test("A staged version becomes active at its time outside of the former scope, if it is signed")
    func stagedScope() async throws {
        signatures.manifest = try await publish("1")
        #expect(try await refusal() == nil)
        signatures.manifest = try await publish("2", base: "https://new.example/")
        try await updater.update(from: source, timing: .nextLaunch)
        try await Self.makeUpdater(fixture, network, signatures).start()
        #expect(versions == ["2"])
    }

    @Test("A version that was staged without a signature is discarded at the first launch with signatures")
    func unsignedStaged() async throws {
        let manifest = try await publish("1", base: Self.folder)
        let plain = Self.makeUpdater(fixture, network, nil)
        try await plain.update(from: PackageSource(manifest.url), timing: .nextLaunch)
        try await updater.start()
        #expect(versions == [])
        #expect(try await fixture.library.hasStagedGeneration(of: shop) == false)
    }

    @Test("A signed scope that the app does not allow is refused without a request")
    func scopesOfApp() async throws {
        signatures.manifest = try await publish("1")
        let other = Self.makeUpdater(
            fixture, network, signatures, scopes: [try PackageBaseURL("https://bank.example/")])
        #expect(try await refusal(by: other) == .outOfScope)
        #expect(network.takeURLs() == [] && versions == [])
        let same = Self.makeUpdater(
            fixture, network, signatures, scopes: [try PackageBaseURL("https://shop.example/")])
        #expect(try await refusal(by: same) == nil)
    }

    @Test("The source of signed manifests decides on the order, and learns what the device has")
    func order() async throws {
        signatures.manifest = try await publish("2", 2)
        #expect(try await refusal() == nil)
        signatures.manifest = try await publish("1", 1)
        #expect(try await refusal() == nil)
        #expect(versions == ["1"])
        #expect(signatures.calls.last?.device == DeviceVersions(active: try PackageVersion("2")))
        // Without signatures, the highest number that was installed still counts.
        let plain = Self.makeUpdater(fixture, network, nil)
        #expect(try await refusal(by: plain) == .status)
        let unsigned = try await publish("1", 1, in: "https://updates.example/targets/")
        network.put(try #require(await bytes(of: unsigned.url)), at: Self.address)
        #expect(try await refusal(by: plain) == .replayed)
    }

    @Test("The number of a package that came with the app counts for the source of signed manifests")
    func baselineNumber() async throws {
        let site = ["index.html": "home"]
        let path = try fixture.manifest(site, version: "5") { $0.sequence = 5 }
        let archive = "\(fixture.directory.path)/shop.zip"
        fixture.archives.add(archive, site.map { .init($0.key, $0.value) })
        try await updater.installBaseline(archive: archive, manifest: path)
        #expect(try await updater.update(from: source).outcome == .unchanged)
        let device = DeviceVersions(active: try PackageVersion("5"), activeSequence: 5)
        #expect(signatures.calls.map(\.device) == [device])
    }

    private func bytes(of url: String) async throws -> Data? {
        try await network.load(ResourceRequest(#require(HTTPRequest(urlText: url))))?.body.collect(upTo: 1 << 20)
    }

    @Test("A manifest of another version than the signed one is refused")
    func otherVersion() async throws {
        var manifest = try await publish("1")
        manifest.version = try PackageVersion("2")
        signatures.manifest = manifest
        #expect(try await refusal() == .unsigned)
        #expect(network.takeURLs() == [manifest.url] && versions == [])
    }

    @Test(
        "Other bytes than the signed ones are refused before the archive is requested",
        arguments: [(0, DeliveryError.Code.digestMismatch), (-1, .digestMismatch), (1, .tooLarge)])
    func otherBytes(extra: Int, code: DeliveryError.Code) async throws {
        let manifest = try await publish("1")
        signatures.manifest = manifest
        let path = try fixture.manifest(["index.html": "evil"], version: "1")
        let evil = try Data(contentsOf: URL(filePath: path)) + Data(repeating: 0x20, count: manifest.byteCount)
        network.put(evil.prefix(manifest.byteCount + extra), at: manifest.url)
        #expect(try await refusal() == code)
        #expect(network.takeURLs() == [manifest.url] && versions == [])
    }

    @Test("A signed manifest that the server does not have is an error of the request", arguments: [403, 404])
    func missingManifest(status: Int) async throws {
        let manifest = try await publish("1")
        signatures.manifest = manifest
        network.put(Data(), status: status, at: manifest.url)
        #expect(try await refusal() == .status)
        #expect(network.takeURLs() == [manifest.url] && versions == [])
    }

    @Test("A manifest above the limit is refused without a request, whatever is signed")
    func tooLarge() async throws {
        var manifest = try await publish("1")
        manifest.byteCount = fixture.library.configuration.manifestLimits.maxBytes + 1
        signatures.manifest = manifest
        #expect(try await refusal() == .tooLarge)
        #expect(network.takeURLs() == [])
    }

    @Test("A signed manifest of another package or outside of the signed scope is refused")
    func outOfScope() async throws {
        let other = try await publish("1", id: "help")
        signatures.manifest = other
        #expect(try await refusal() == .outOfScope)
        var manifest = try await publish("1")
        for scope in ["https://bank.example/", "https://shop.example/app/", "http://shop.example/"] {
            manifest.scope = try PackageBaseURL(scope)
            signatures.manifest = manifest
            #expect(try await refusal() == .outOfScope, "\(scope)")
        }
        #expect(versions == [] && !network.takeURLs().contains { $0.hasSuffix(".zip") })
    }

    @Test("The keys of the publisher replace the address and the scope of a package that another source has installed")
    func otherSource() async throws {
        let former = try await publish("1", in: "https://shop.example/")
        let plain = Self.makeUpdater(fixture, network, nil)
        let old = PackageSource(former.url)
        #expect(try await refusal(old, by: plain) == nil)
        let next = try await publish("2", base: "https://new.example/")
        let unsigned = PackageSource(next.url, package: shop, scope: next.scope)
        #expect(try await refusal(unsigned, by: plain) == .otherSource)
        signatures.manifest = next
        #expect(try await refusal() == nil)
        #expect(versions == ["2"])
        #expect(try await fixture.get("https://new.example/") == "home 2")
        #expect(try await fixture.get("https://shop.example/") == nil)
        // The former source may update the package no more.
        #expect(try await refusal(old, by: plain) == .otherSource)
    }

    /// A change of the releases during a background download.
    enum Change: CaseIterable { case none, otherRelease, noRelease }

    @Test(
        "After a background download, the archive is that of the signed manifest, if this is still the release",
        arguments: Change.allCases)
    func background(change: Change) async throws {
        let (zip, home) = ("\(fixture.directory.path)/shop.zip", Data("home".utf8))
        try ZipWriter().write(to: zip) { archive in
            try archive.begin(ArchivePath("index.html"), size: Int64(home.count), method: .stored)
            try archive.append(home)
        }
        let archive = try Data(contentsOf: URL(filePath: zip))
        let manifest = try PackageManifest(
            id: shop, version: PackageVersion("1"), baseURL: PackageBaseURL("https://shop.example/"),
            files: [
                PackageManifest.File(
                    path: ArchivePath("index.html"), size: Int64(home.count), sha256: SHA256Digest(of: home),
                    mediaType: "text/html")
            ]
        ).locating(
            files: ZipValidator().validate(archive),
            in: .init(size: Int64(archive.count), sha256: SHA256Digest(of: archive))
        ).encoded()
        network.put(manifest, at: "\(Self.folder)1.json")
        signatures.manifest = SignedManifest(
            url: "\(Self.folder)1.json", byteCount: manifest.count, sha256: SHA256Digest(of: manifest),
            version: try PackageVersion("1"), scope: try PackageBaseURL("https://shop.example/"))
        let next = try await publish("2")
        let downloads = CompleteDownloads(["\(Self.folder)shop-1.zip": archive]) { [signatures] in
            switch change {
            case .none: break
            case .otherRelease: signatures.manifest = next
            case .noRelease: signatures.manifest = nil
            }
        }
        let updater = Self.makeUpdater(fixture, network, signatures, background: downloads)
        let code = try await refusal(by: updater, urgency: .whenConvenient)
        #expect(downloads.urls == ["\(Self.folder)shop-1.zip"])
        #expect(!network.takeURLs().contains { $0.hasSuffix(".zip") })
        switch change {
        case .none:
            #expect(code == nil)
            #expect(try await fixture.get("https://shop.example/") == "home")
        case .otherRelease, .noRelease: #expect(code == .overtaken && versions == [])
        }
    }

    // MARK: Failures

    @Test("An error of the source is `unsigned`, except those of requests and a cancellation")
    func sourceError() async throws {
        struct Refused: Error, Equatable {}
        signatures.manifest = try await publish("1")
        signatures.onCall { _ in throw Refused() }
        let error = await #expect(throws: DeliveryError.self) { try await updater.update(from: source) }
        #expect(error?.code == .unsigned && error?.location == Self.address && error?.cause is Refused)
        signatures.onCall { _ in throw DeliveryError(.stalled, "slow") }
        #expect(try await refusal() == .stalled)
        signatures.onCall { _ in throw CancellationError() }
        await #expect(throws: CancellationError.self) { try await updater.update(from: source) }
        #expect(network.takeURLs() == [] && versions == [])
    }

    @Test("Versions that failed their trial are passed to the source")
    func failedVersions() async throws {
        var record = TrialRecord()
        for version in ["2", "3"] { record.markFailed(version, of: "shop") }
        record.markFailed("9", of: "help")
        try HealthDocument(fixture.store).save(record)
        try await updater.start()
        let failed = Set(try ["2", "3"].map { try PackageVersion($0) })
        signatures.manifest = try await publish("1")
        #expect(try await refusal() == nil)
        #expect(signatures.calls == [Signatures.Call(package: shop, device: DeviceVersions(failed: failed))])
        let explanation = try await updater.explainRelease(of: shop)
        #expect(explanation?.package == shop && Set(explanation?.verdicts.map(\.version) ?? []) == failed)
        // A source that ignores the failed versions does not bring one back.
        signatures.manifest = try await publish("2")
        #expect(try await refusal() == .quarantined)
        #expect(versions == ["1"])
    }

    @Test("Insecure URLs are refused without a request: of the source, of the manifest and of documents")
    func insecure() async throws {
        var manifest = try await publish("1", in: "http://cdn.example/shop/")
        signatures.manifest = manifest
        let insecure = PackageSource("http://updates.example/targets/shop.json", package: shop)
        #expect(try await refusal(insecure) == .insecure)
        #expect(signatures.calls == [])
        #expect(try await refusal() == .insecure)
        #expect(network.takeURLs() == [])
        manifest = try await publish("1")
        signatures.manifest = manifest
        signatures.onCall { load in _ = try await load("http://updates.example/timestamp.json", 10) }
        #expect(try await refusal() == .insecure)
        #expect(network.takeURLs() == [] && versions == [])
    }

    @Test("Documents of the source: the bytes, no document for status 403 and 404, otherwise an error")
    func documents() async throws {
        signatures.manifest = try await publish("1")
        let url = "https://updates.example/metadata/"
        network.put(Data("0123456789".utf8), at: url + "200")
        for status in [403, 404, 410] { network.put(Data("none".utf8), status: status, at: "\(url)\(status)") }
        let received = Mutex<[String: Data?]>([:])
        signatures.onCall { load in
            for status in [200, 403, 404] {
                let document = try await load("\(url)\(status)", 10)
                received.withLock { $0["\(status)"] = .some(document) }
            }
        }
        #expect(try await refusal() == nil)
        #expect(received.withLock { $0 } == ["200": Data("0123456789".utf8), "403": nil, "404": nil])
        signatures.onCall { load in
            let error = await #expect(throws: PackageError.self) { try await load(url + "200", 9) }
            #expect(error?.code == .tooLarge)
        }
        #expect(try await refusal() == nil)
        signatures.onCall { load in _ = try await load(url + "410", 9) }
        #expect(try await refusal() == .status)
    }

    // MARK: Repair

    @Test("A repair uses the signed manifest")
    func repair() async throws {
        let manifest = try await publish("1")
        signatures.manifest = manifest
        #expect(try await refusal() == nil)
        _ = network.takeURLs()
        try await damage()
        let result = try await updater.repair(shop)
        guard case .repaired(files: 1, transfer: .whole, traffic: _) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(network.takeURLs() == [manifest.url, "\(Self.folder)shop-1.zip"])
        #expect(try await fixture.get("https://shop.example/large.js") == Self.large)

        // An update repairs the active version too.
        try await damage()
        #expect(try await refusal() == nil)
        #expect(network.takeURLs() == [manifest.url, "\(Self.folder)shop-1.zip"])
        #expect(try await fixture.get("https://shop.example/large.js") == Self.large)

        try await damage()
        signatures.manifest = nil
        #expect(try await updater.repair(shop) == .noRelease)
        signatures.manifest = manifest
        network.put(Data(repeating: 0x20, count: manifest.byteCount), at: manifest.url)
        let error = await #expect(throws: DeliveryError.self) { try await updater.repair(shop) }
        #expect(error?.code == .digestMismatch)
        signatures.manifest = try await publish("2")
        #expect(try await updater.repair(shop) == .outdated(PackageVersion("2")))
        #expect(!network.takeURLs().contains { $0.hasSuffix(".zip") })
    }

    /// Truncates the stored bytes of the large file.
    private func damage() async throws {
        let digest = SHA256Digest(of: Data(Self.large.utf8))
        guard case .file(let file) = try fixture.store.blob(digest).content else {
            throw CocoaError(.fileNoSuchFile)
        }
        try Data("short".utf8).write(to: URL(filePath: file.path))
        #expect(try await fixture.get("https://shop.example/large.js") == nil)
    }
}

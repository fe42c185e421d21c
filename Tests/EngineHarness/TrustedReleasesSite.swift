// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
@_spi(Testing) internal import ContainerKit
internal import ContainerTesting
internal import ContentDigest
internal import Foundation
internal import OfflinePackage
internal import PackageFormat
internal import SchemeRouter
internal import TrustedUpdate
internal import WebEngine
internal import WebKitGTKAdapter

/// A server on loopback to which a publisher uploads its repository.
struct TrustedReleasesSite {
    private let folder: String
    private let server: OriginServer

    /// Starts the server.
    /// - Parameter folder: the folder of the served files, which is created.
    static func start(in folder: String) async throws -> TrustedReleasesSite {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return TrustedReleasesSite(
            folder: folder, server: try await OriginServer.start(OriginServer.Configuration(folder: folder)))
    }

    /// Replaces the served repository.
    func serve(_ publisher: ReleasePublisher) throws {
        for name in ["metadata", "targets"] {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            try FileManager.default.copyItem(atPath: "\(publisher.path)/\(name)", toPath: "\(folder)/\(name)")
        }
    }

    /// Replaces a served file.
    func put(_ bytes: Data, at path: String) throws {
        let file = URL(fileURLWithPath: "\(folder)/\(path)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: file)
    }

    /// Returns the number of requests for a path or below it.
    func requests(for path: String) -> Int { server.requests.count { $0.path.hasPrefix("/\(path)") } }

    /// Returns the URL of a path.
    func url(_ path: String) -> String { "\(server.url)/\(path)" }

    /// Stops the server.
    func stop() async { await server.stop() }
}

/// An app on a device, whose packages come from signed releases.
@MainActor
final class TrustedDevice {
    /// The URL of the page.
    private static let url = "https://shop.example/app/index.html"
    private let site: TrustedReleasesSite
    private(set) var container: Container<WebKitGTKEngine>
    private let launch: @MainActor () async throws -> Container<WebKitGTKEngine>
    private let clock: Clock

    /// The clock of the device.
    private final class Clock: Sendable {
        private let skew = Mutex<TimeInterval>(0)

        var now: Date { Date() + skew.withLock { $0 } }

        func advance(by seconds: TimeInterval) { skew.withLock { $0 += seconds } }
    }

    /// Launches the app.
    /// - Parameters:
    ///   - site: the server of the releases.
    ///   - root: the root that comes with the app.
    ///   - seed: the text that decides on shares.
    ///   - mode: the mode of pages.
    ///   - folder: the folder of the app.
    init(_ site: TrustedReleasesSite, root: Data, seed: String, _ mode: CheckedMode, in folder: String) async throws {
        self.site = site
        let clock = Clock()
        self.clock = clock
        launch = {
            var catalogue = TrustedCatalogue(
                root: root, metadataURL: site.url("metadata"), targetsURL: site.url("targets"),
                directory: folder + "/trust")
            catalogue.seed = seed
            catalogue.now = { clock.now }
            var configuration = mode.configuration(ContainerConfiguration(directory: folder + "/store"))
            configuration.network.cookies.native = .none
            configuration.network.coveredHosts = ["shop.example"].compactMap { HostPattern($0) }
            configuration.views.warmsUpWhenIdle = false
            configuration.pages.interface = PageInterfaceOptions()
            configuration.packages.updates.downloads.now = { clock.now }
            configuration.packages.automatic.catalogue = catalogue
            configuration.packages.automatic.timing = .now
            configuration.packages.automatic.urgency = .wanted
            return try await Container(engine: WebKitGTKEngine(), configuration: configuration)
        }
        container = try await launch()
    }

    /// Ends the app and launches it again.
    func relaunch() async throws {
        await container.shutDown()
        container = try await launch()
    }

    /// Returns a text for which a device has a number in a range, as `docs/pouf.md` specifies it, and the number.
    static func seed(
        for version: String, numbered range: Range<Int>
    ) throws -> (seed: String, number: Int) {
        for seed in 0..<10_000 {
            let digest = SHA256Digest(of: Data("shop\n\(version)\n\(seed)".utf8)).bytes
            let number = digest.prefix(4).reduce(0) { $0 << 8 | Int($1) } % 1_000
            if range.contains(number) { return ("\(seed)", number) }
        }
        throw CheckFailure(description: "no device has a number in \(range)")
    }

    // MARK: Updates

    /// Advances the clock, so that the next update does not use the releases of the last check.
    func advance(by seconds: TimeInterval = 600) { clock.advance(by: seconds) }

    /// Checks for updates some time after the last check.
    func check() async {
        advance()
        await container.checkForUpdates()
    }

    /// Updates the package some time after the last check.
    func update(from source: PackageSource) async throws -> PackageUpdate {
        advance()
        return try await container.update(from: source)
    }

    /// The installed versions.
    var versions: [String] { container.installedPackages.map { "\($0.id) \($0.version)" } }

    /// Returns the releases of the last check, each with the reason for which the device gets it or not.
    func reasons() async throws -> [String: ReleaseReason] {
        let explanation = try await container.explainRelease(of: PackageID("shop"))
        let verdicts = (explanation?.verdicts ?? []).map { ("\($0.version)", $0.reason) }
        return Dictionary(verdicts) { first, _ in first }
    }

    /// Waits for an event of packages.
    func wait(
        for what: String, in events: AsyncStream<ContainerEvent>,
        _ isExpected: @escaping @MainActor (PackageEvent) -> Bool
    ) async throws {
        try await withLimit(.seconds(20), what) {
            for await case .package(let event) in events where isExpected(event) { return }
            throw CancellationError()
        }
    }

    // MARK: Pages

    /// Opens a page and waits until it is loaded completely.
    func open() async throws -> Page<WebKitGTKView> {
        let page = try await container.open(Self.url)
        try await page.load.finished(within: .seconds(20))
        return page
    }

    /// Expects that a page shows a version of the package.
    func see(_ page: Page<WebKitGTKView>, _ version: String, _ when: String) async throws {
        let seen = try await page.view.evaluate(
            "return `${document.title} ${(await containerkit.package())?.version}`", in: .page)
        try expect(seen == "\"\(version) \(version)\"", "\(when): \(seen), and not \(version)")
    }

    /// Expects that a new page shows a version of the package.
    func seeNext(_ version: String, _ when: String) async throws {
        let page = try await open()
        try await see(page, version, "\(when), the next page")
        await container.close(page)
    }
}

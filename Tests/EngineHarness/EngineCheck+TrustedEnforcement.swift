// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import OfflinePackage
internal import PackageFormat
internal import PackagePublisher
internal import TrustedPublishing
internal import TrustedUpdate
internal import WebEngine
internal import WebKitGTKAdapter

// Packages that the publisher has not signed.
extension EngineCheck {
    /// Checks that an update to what the publisher has not signed for the package fails with a typed error, and that
    /// pages keep their version.
    @MainActor
    func checkTrustedEnforcement(_ name: String?, in folder: String) async throws {
        guard let mode = name.flatMap({ CheckedMode(rawValue: $0) }) else {
            throw CheckFailure(description: "specify \(CheckedMode.names)")
        }
        let site = try await TrustedReleasesSite.start(in: folder + "/served")
        let publisher = try ReleasePublisher(folder + "/repository")
        try publisher.publish("1.0", Self.releaseSite("1.0"))
        try site.serve(publisher)
        let former = try publisher.copy(at: folder + "/former")
        let root = try publisher.firstRoot
        let device = try await TrustedDevice(site, root: root, seed: "0", mode, in: folder + "/device")
        let source = PackageSource(site.url("targets/shop.json"), package: try PackageID("shop"))
        let first = try await device.update(from: source)
        try expect(first.outcome == .activated, "the install: \(first.outcome)")
        var page = try await device.open()
        try await device.see(page, "1.0", "after the install")

        /// Expects that an update is refused by the call and by an event, and that the page and the next one keep their
        /// version.
        func refuse(
            _ code: DeliveryError.Code, _ cause: TrustError.Code? = nil, _ what: String, from other: PackageSource
        ) async throws {
            let events = device.container.events
            do {
                let update = try await device.update(from: other)
                throw CheckFailure(description: "\(what): \(update.outcome)")
            } catch let error as DeliveryError {
                try expect(error.code == code && (error.cause as? TrustError)?.code == cause, "\(what): \(error)")
            }
            try await device.wait(for: "\(what): an event", in: events) {
                guard case .updateFailed(_, let failure) = $0 else { return false }
                return (failure.cause as? DeliveryError)?.code == code
            }
            try expect(device.versions == ["shop 1.0"], "\(what): \(device.versions)")
            try await device.see(page, "1.0", "\(what), the open page")
            try await device.seeNext("1.0", what)
        }

        try await checkUnsignedSources(site, source, on: device, in: folder, refuse)
        try await checkReplacedFiles(site, publisher, in: folder) { try await refuse($0, nil, $1, from: source) }
        try await checkRepositories(site, publisher, on: device, in: folder) {
            try await refuse(.unsigned, $0, $1, from: source)
        }
        try site.serve(former)
        try await refuse(.unsigned, .rollback, "an older repository", from: source)
        await device.container.close(page)
        try await device.relaunch()
        page = try await device.open()
        try await refuse(.unsigned, .rollback, "an older repository, after a relaunch", from: source)

        // The publisher itself is accepted as before. Over loopback, all open pages share one version.
        await device.container.close(page)
        try publisher.publish("1.5", Self.releaseSite("1.5"))
        try site.serve(publisher)
        let last = try await device.update(from: source)
        try expect(last.outcome == .activated, "the signed update: \(last.outcome)")
        try await device.seeNext("1.5", "after the signed update")
        await device.container.shutDown()
        await site.stop()
    }

    /// Checks that the URL of a source does not decide what is installed.
    @MainActor
    private func checkUnsignedSources(
        _ site: TrustedReleasesSite, _ source: PackageSource, on device: TrustedDevice, in folder: String,
        _ refuse: @MainActor (DeliveryError.Code, TrustError.Code?, String, PackageSource) async throws -> Void
    ) async throws {
        for id in ["shop", "evil"] {
            let package = try ReleasePublisher.build(
                "9.9", Self.releaseSite("9.9"), id: id, sequence: 1_000, in: "\(folder)/unsigned-\(id)")
            try site.put(Data(contentsOf: URL(fileURLWithPath: package.manifest)), at: "unsigned/\(id).json")
            try site.put(Data(contentsOf: URL(fileURLWithPath: package.archive)), at: "unsigned/\(id)-9.9.zip")
        }
        let scope = try PackageBaseURL(ReleasePublisher.scope)
        let url = site.url("unsigned/shop.json")
        try await refuse(.unsigned, nil, "a source without a package", PackageSource(url, scope: scope))
        let evil = PackageSource(site.url("unsigned/evil.json"), package: try PackageID("evil"), scope: scope)
        try await refuse(.noRelease, nil, "a package without a release", evil)
        let update = try await device.update(from: PackageSource(url, package: source.package, scope: scope))
        try expect(update.outcome == .unchanged, "an unsigned manifest elsewhere: \(update.outcome)")
        try await device.seeNext("1.0", "an unsigned manifest elsewhere")
        try expect(site.requests(for: "unsigned/") == 0, "unsigned files are requested")
    }

    /// Checks that the server cannot replace the files of a release, and that the publisher can only release the
    /// package itself, in its scope.
    @MainActor
    private func checkReplacedFiles(
        _ site: TrustedReleasesSite, _ publisher: ReleasePublisher, in folder: String,
        _ refuse: @MainActor (DeliveryError.Code, String) async throws -> Void
    ) async throws {
        let release = try publisher.publish("1.1", Self.releaseSite("1.1"))
        let evil = try ReleasePublisher.build(
            "1.1", ["index.html": "evil"], sequence: release.sequence, in: folder + "/evil")
        var manifest = try Data(contentsOf: URL(fileURLWithPath: evil.manifest))
        let archive = try Data(contentsOf: URL(fileURLWithPath: evil.archive))
        try expect(manifest.count <= Int(release.manifestBytes), "the manifest of the other files is longer")
        try site.serve(publisher)
        try site.put(manifest + Data(repeating: 0x20, count: Int(release.manifestBytes)), at: release.manifestPath)
        try site.put(archive, at: release.archivePath)
        try await refuse(.tooLarge, "a longer manifest")
        // A manifest may end in spaces.
        manifest += Data(repeating: 0x20, count: Int(release.manifestBytes) - manifest.count)
        try site.put(manifest, at: release.manifestPath)
        try await refuse(.digestMismatch, "another manifest")
        try site.serve(publisher)
        try site.put(archive, at: release.archivePath)
        try await refuse(.digestMismatch, "another archive")

        try publisher.publish("1.2", Self.releaseSite("1.2"), id: "help")
        try site.serve(publisher)
        try await refuse(.outOfScope, "a signed manifest of another package")
        try publisher.publish("1.3", Self.releaseSite("1.3"), base: "https://bank.example/")
        try site.serve(publisher)
        try await refuse(.outOfScope, "a signed manifest outside of the scope")
        try publisher.publish("9.9", Self.releaseSite("9.9"), signedAs: "1.4")
        try site.serve(publisher)
        try await refuse(.unsigned, "a signed manifest of another version")
    }

    /// Checks that a repository is refused if other keys have signed it, and if it has expired.
    @MainActor
    private func checkRepositories(
        _ site: TrustedReleasesSite, _ publisher: ReleasePublisher, on device: TrustedDevice, in folder: String,
        _ refuse: @MainActor (TrustError.Code, String) async throws -> Void
    ) async throws {
        let stranger = try ReleasePublisher(folder + "/stranger")
        try stranger.publish("2.0", Self.releaseSite("2.0"))
        // The versions are higher than those of the publisher, so that only the keys are wrong.
        for _ in 0..<9 { try stranger.renew() }
        try site.serve(stranger)
        try await refuse(.unsigned, "a repository of other keys")
        let events = device.container.events
        await device.check()
        try await device.wait(for: "the refusal of a check", in: events) {
            guard case .catalogueFailed(let failure) = $0 else { return false }
            return (failure.cause as? TrustError)?.code == .unsigned
        }
        try expect(site.requests(for: "targets/shop/shop-2.0.zip") == 0, "the archive of other keys is requested")

        try site.serve(publisher)
        let days: TimeInterval = 8 * 86_400
        device.advance(by: days)
        try await refuse(.expired, "an expired repository")
        device.advance(by: -days)
    }
}

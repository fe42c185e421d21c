// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import OfflinePackage
internal import PackageFormat
internal import TrustedPublishing
internal import TrustedUpdate
internal import WebEngine
internal import WebKitGTKAdapter

// The walk of signed releases: from the publisher's repository over a server to pages.
extension EngineCheck {
    /// Checks an install, a staged roll-out, a bad version that the device pauses and rolls back, a withdrawal, and
    /// stolen keys. A page that is open keeps its version.
    @MainActor
    func checkTrustedReleases(_ name: String?, in folder: String) async throws {
        guard let mode = name.flatMap({ CheckedMode(rawValue: $0) }) else {
            throw CheckFailure(description: "specify \(CheckedMode.names)")
        }
        let site = try await TrustedReleasesSite.start(in: folder + "/served")
        var publisher = try ReleasePublisher(folder + "/repository")
        try publisher.publish("1.0", Self.releaseSite("1.0"))
        try site.serve(publisher)
        let root = try publisher.firstRoot
        let (seed, number) = try TrustedDevice.seed(for: "1.1", numbered: 100..<1_000)
        let device = try await TrustedDevice(site, root: root, seed: seed, mode, in: folder + "/device")

        let one = try await confirm("1.0", on: device)
        try await checkShare(number, on: device, publisher, site)
        try await checkTester(root, mode, site, in: folder + "/tester")
        try publisher.change("1.1") { $0.share = ReleaseRecord.shares.upperBound }
        try site.serve(publisher)
        let two = try await confirm("1.1", on: device)
        try await checkBadVersion(on: device, publisher, site)
        try await checkStolenKeys(on: device, &publisher, site, in: folder)
        try await device.see(one, "1.0", "in the end, the first page")
        try await device.see(two, "1.1", "in the end, the second page")
        await device.container.shutDown()
        await site.stop()
    }

    /// Returns the site of a version, whose page reports whether it works.
    static func releaseSite(_ version: String, works: Bool = true) -> [String: String] {
        let call = works ? "ready()" : "failed(new Error('broken'))"
        return [
            "index.html": "<!doctype html><title>\(version)</title><script>containerkit.\(call)</script>",
            "data.txt": version,
        ]
    }

    /// Checks for updates, and opens a page that shows a version and ends its trial successfully.
    @MainActor
    private func confirm(_ version: String, on device: TrustedDevice) async throws -> Page<WebKitGTKView> {
        await device.check()
        let events = device.container.events
        let page = try await device.open()
        try await device.see(page, version, "after the release of \(version)")
        try await device.wait(for: "the trial of \(version)", in: events) {
            if case .confirmed(_, let confirmed) = $0 { "\(confirmed)" == version } else { false }
        }
        return page
    }

    /// Publishes 1.1 for a tenth of the devices, to which the device does not belong.
    @MainActor
    private func checkShare(
        _ number: Int, on device: TrustedDevice, _ publisher: ReleasePublisher, _ site: TrustedReleasesSite
    ) async throws {
        try publisher.publish("1.1", Self.releaseSite("1.1"), share: 100)
        try site.serve(publisher)
        await device.check()
        try await device.seeNext("1.0", "outside of the share")
        let reasons = try await device.reasons()
        try expect(
            reasons == ["1.1": .outsideShare(number: number, share: 100), "1.0": .chosen], "the share: \(reasons)")
        try expect(site.requests(for: "targets/shop/shop-1.1.zip") == 0, "the archive is requested")
    }

    /// Checks that a device in the share gets 1.1.
    @MainActor
    private func checkTester(
        _ root: Data, _ mode: CheckedMode, _ site: TrustedReleasesSite, in folder: String
    ) async throws {
        let (seed, _) = try TrustedDevice.seed(for: "1.1", numbered: 0..<100)
        let tester = try await TrustedDevice(site, root: root, seed: seed, mode, in: folder)
        await tester.check()
        try await tester.seeNext("1.1", "in the share")
        let reasons = try await tester.reasons()
        try expect(reasons == ["1.1": .chosen, "1.0": .older], "in the share: \(reasons)")
        await tester.container.shutDown()
    }

    /// Publishes 1.2, whose page reports a failure, and withdraws it.
    @MainActor
    private func checkBadVersion(
        on device: TrustedDevice, _ publisher: ReleasePublisher, _ site: TrustedReleasesSite
    ) async throws {
        try publisher.publish("1.2", Self.releaseSite("1.2", works: false))
        try site.serve(publisher)
        await device.check()
        try expect(device.versions == ["shop 1.2"], "after the bad release: \(device.versions)")
        let events = device.container.events
        let bad = try await device.open()
        try await device.wait(for: "the rollback of 1.2", in: events) {
            if case .scopeChanged(let change) = $0 { change.reason == .rolledBack("Error: broken") } else { false }
        }
        try await device.see(bad, "1.2", "after the rollback, the page that failed")
        try await device.seeNext("1.1", "after the rollback")
        await device.container.close(bad)
        var reasons = try await device.reasons()
        try expect(
            reasons == ["1.2": .failedTrial, "1.1": .chosen, "1.0": .older], "after the rollback: \(reasons)")

        let archive = "targets/shop/shop-1.2.zip"
        let requests = site.requests(for: archive)
        try expect(requests > 0, "no archive of 1.2 was requested")
        await device.check()
        try await device.seeNext("1.1", "after another check")
        try publisher.change("1.2") { $0.isStopped = true }
        try site.serve(publisher)
        await device.check()
        try await device.seeNext("1.1", "after the withdrawal")
        reasons = try await device.reasons()
        try expect(reasons == ["1.2": .stopped, "1.1": .chosen, "1.0": .older], "withdrawn: \(reasons)")
        try expect(site.requests(for: archive) == requests, "the archive of 1.2 was requested again")
    }

    /// Replaces the stolen key of targets, and then the stolen online key. A thief signs releases with the former keys,
    /// before and after that.
    @MainActor
    private func checkStolenKeys(
        on device: TrustedDevice, _ publisher: inout ReleasePublisher, _ site: TrustedReleasesSite, in folder: String
    ) async throws {
        // Until the keys are replaced, devices get the thief's release, whose number the publisher does not know.
        let thief = try publisher.copy(at: folder + "/thief")
        try thief.publish("6.5", Self.releaseSite("6.5"), number: 1_000_000)
        try site.serve(thief)
        await device.container.close(try await confirm("6.5", on: device))
        try publisher.replaceTargetsKey()
        try publisher.publish("1.3", Self.releaseSite("1.3"))
        try site.serve(publisher)
        let page = try await confirm("1.3", on: device)

        // The versions are higher than those of the publisher, so that only the keys are wrong.
        for _ in 0..<4 { try thief.renew() }
        try thief.publish("6.6", Self.releaseSite("6.6"))
        try site.serve(thief)
        let events = device.container.events
        await device.check()
        try await device.wait(for: "the refusal of stolen keys", in: events) {
            guard case .catalogueFailed(let failure) = $0 else { return false }
            return (failure.cause as? TrustError)?.code == .unsigned
        }
        try await device.see(page, "1.3", "with stolen keys, the open page")
        try await device.seeNext("1.3", "with stolen keys")

        // The online key that signed the thief's timestamp has raised its version on the device.
        try publisher.publish("1.4", Self.releaseSite("1.4"))
        try site.serve(publisher)
        await device.check()
        try await device.seeNext("1.3", "before the online key is replaced")
        try publisher.replaceOnlineKey()
        try site.serve(publisher)
        await device.container.close(try await confirm("1.4", on: device))
        try await device.see(page, "1.3", "after the stolen keys, the open page")
        await device.container.close(page)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import PackageFormat
import Testing

@testable import TrustedUpdate

/// The choice among the releases of a package.
@Suite("Releases of a device", .timeLimit(.minutes(1)))
struct ReleaseDeviceTests {
    private var repository: TestRepository
    private let shop: PackageID
    private let first: PackageVersion

    init() throws {
        repository = try TestRepository()
        shop = try PackageID("shop")
        first = try PackageVersion("1")
    }

    private func makeDevice(
        _ seed: String = "seed", channel: String = "production", now: Date = TestRepository.now
    ) -> ReleaseDevice {
        ReleaseDevice(channel: channel, seed: seed, now: now)
    }

    /// Publishes the releases and returns them as a client reads them.
    private mutating func published() async throws -> [Release] {
        try repository.publishReleases()
        return try await repository.releaseList().releases(of: shop)
    }

    /// Returns the reason for one release.
    private func reason(_ release: Release, _ device: ReleaseDevice, host: String? = nil) throws -> ReleaseReason? {
        let versions = DeviceVersions(host: try host.map { try PackageVersion($0) })
        return device.choose([release], of: shop, for: versions).explanation.verdicts.first?.reason
    }

    // MARK: Reasons

    @Test("Each release has its reason, from the highest number to the lowest") mutating func reasons() async throws {
        let members: [JSONValue] = [
            ["channels": ["beta"]], [:], [:], ["share": 0], [:], ["minHost": "4"], ["start": "2025-01-01T00:00:01Z"],
            ["stopped": true], ["channels": ["beta", "alpha"], "stopped": true],
        ]
        for (index, members) in members.enumerated() { repository.addRelease("v\(index + 1)", index + 1, members) }
        let device = makeDevice()
        let releases = try await published()
        let versions = DeviceVersions(failed: [try PackageVersion("v5")], host: try PackageVersion("3.9"))
        let (release, explanation) = device.choose(releases, of: shop, for: versions)
        let number = device.number(for: try PackageVersion("v4"), of: shop)
        let expected: [ReleaseReason] = try [
            .otherChannel, .stopped, .notStarted(1_735_689_601), .hostTooOld(PackageVersion("4")), .failedTrial,
            .outsideShare(number: number, share: 0), .chosen, .superseded, .otherChannel,
        ]
        #expect(explanation.verdicts.map(\.reason) == expected)
        #expect(explanation.verdicts.map(\.sequence) == (1...9).reversed())
        #expect(explanation.verdicts.map(\.version.description) == (1...9).reversed().map { "v\($0)" })
        #expect(release?.sequence == 3 && explanation.version == release?.version && explanation.package == shop)
    }

    @Test("The highest number wins, whatever the version, and without releases there is none")
    mutating func highestNumber() async throws {
        for (version, sequence) in [("3", 10), ("2", 11), ("1", 9)] { repository.addRelease(version, sequence) }
        let releases = try await published()
        let device = makeDevice()
        for order in [releases, releases.reversed()] {
            #expect(device.choose(order, of: shop, for: DeviceVersions()).release?.version.description == "2")
        }
        let (release, explanation) = device.choose([], of: shop, for: DeviceVersions())
        #expect(release == nil && explanation.verdicts == [] && explanation.version == nil)
    }

    @Test("A failed version is replaced by the next one") mutating func failedVersions() async throws {
        for sequence in 1...3 { repository.addRelease("v\(sequence)", sequence) }
        let releases = try await published()
        let device = makeDevice()
        for (failed, expected) in [([], "v3"), (["v3"], "v2"), (["v1", "v3"], "v2"), (["v3", "v2"], "v1")] {
            let versions = Set(try failed.map { try PackageVersion($0) })
            let (release, explanation) = device.choose(releases, of: shop, for: DeviceVersions(failed: versions))
            #expect(release?.version.description == expected)
            #expect(explanation.verdicts.count { $0.reason == .failedTrial } == failed.count)
        }
        let all = DeviceVersions(failed: Set(releases.map(\.version)))
        #expect(device.choose(releases, of: shop, for: all).release == nil)
    }

    @Test("A device does not go back from its active version, unless this is one of other channels")
    mutating func activeVersion() async throws {
        let members: [JSONValue] = [[:], [:], ["stopped": true], [:], ["channels": ["beta"]]]
        for (sequence, members) in members.enumerated() { repository.addRelease("v\(sequence)", sequence, members) }
        repository.addRelease("v9", 9, ["share": 0])
        let releases = try await published()
        let device = makeDevice()
        // The active version, its number if the device knows it, the failed version, and the version that the device
        // gets. `v2` is stopped, `v4` is for another channel, `v9` is for no device, and `old` is not listed.
        for (active, sequence, failed, expected) in [
            (nil, nil, nil, "v3"), ("v0", 0, nil, "v3"), ("v3", 3, nil, "v3"), ("v9", 9, nil, nil),
            ("v4", 4, nil, "v3"), ("v2", 2, "v3", nil), ("v1", 1, "v3", "v1"), ("old", 2, nil, "v3"),
            ("old", 4, nil, nil), ("old", nil, "v3", "v1"),
        ] as [(String?, Int64?, String?, String?)] {
            let versions = DeviceVersions(
                active: try active.map { try PackageVersion($0) }, activeSequence: sequence,
                failed: Set(try [failed].compactMap(\.self).map { try PackageVersion($0) }))
            let (release, explanation) = device.choose(releases, of: shop, for: versions)
            #expect(release?.version.description == expected, "\(versions)")
            #expect(explanation.version == release?.version)
            let numbers = explanation.verdicts.filter { $0.reason == .older }.map(\.sequence)
            #expect(numbers.allSatisfy { $0 < sequence ?? 0 })
            if active == "v9" { #expect(numbers == [3, 1, 0]) }
        }
    }

    @Test("A device outside of the share of a version keeps the one before") mutating func outsideShare() async throws {
        repository.addRelease("v1", 1)
        repository.addRelease("v2", 2, ["share": 0])
        let releases = try await published()
        #expect(makeDevice().choose(releases, of: shop, for: DeviceVersions()).release?.sequence == 1)
    }

    @Test("A release starts at its time, for apps from the required version on, in each of its channels")
    mutating func bounds() async throws {
        repository.addRelease("1", 1, ["start": "2025-01-01T00:00:00Z"])
        repository.addRelease("1", 2, ["minHost": "3"])
        repository.addRelease("1", 3, ["channels": ["alpha", "beta"]])
        let releases = try await published().sorted { $0.sequence < $1.sequence }
        #expect(releases.count == 3)
        #expect(try reason(releases[0], makeDevice()) == .chosen)
        #expect(try reason(releases[0], makeDevice(now: TestRepository.now - 1)) == .notStarted(1_735_689_600))
        for host in ["3", "3.0", "3.0.1", "10"] {
            #expect(try reason(releases[1], makeDevice(), host: host) == .chosen, "\(host)")
        }
        for host in [nil, "2.9.9", "beta"] {
            #expect(try reason(releases[1], makeDevice(), host: host) == .hostTooOld(PackageVersion("3")))
        }
        for (channel, isIn) in [("alpha", true), ("beta", true), ("production", false), ("Beta", false), ("", false)] {
            let reason = try reason(releases[2], makeDevice(channel: channel))
            #expect(reason == (isIn ? .chosen : .otherChannel), "\(channel)")
        }
    }

    // MARK: Shares

    // SHA-256 of `shop\n1\nseed` begins with digits that are 709 modulo 1,000.
    @Test("The numbers of known devices") func knownNumbers() throws {
        let device = makeDevice()
        #expect(device.number(for: first, of: shop) == 709)
        #expect(device.number(for: try PackageVersion("2"), of: shop) == 993)
        #expect(device.number(for: first, of: try PackageID("help")) == 45)
    }

    @Test("A device gets a version if its number is below the share") mutating func shareBound() async throws {
        for (sequence, share) in [0, 709, 710, 1_000].enumerated() {
            repository.addRelease("1", sequence, ["share": .number(share)])
        }
        let releases = try await published().sorted { $0.sequence < $1.sequence }
        let device = makeDevice()
        #expect(
            try releases.map { try reason($0, device) } == [
                .outsideShare(number: 709, share: 0), .outsideShare(number: 709, share: 709), .chosen, .chosen,
            ])
    }

    @Test("A device that gets a version at one share gets it at each larger share")
    mutating func growingShare() async throws {
        for (sequence, share) in stride(from: 0, through: 1_000, by: 50).enumerated() {
            repository.addRelease("1", sequence, ["share": .number(share)])
        }
        let releases = try await published().sorted { $0.share < $1.share }
        #expect(releases.count == 21)
        var firsts: Set<Int> = []
        for index in 0..<200 {
            let device = makeDevice("device \(index)")
            let isIn = try releases.map { try reason($0, device) == .chosen }
            let first = try #require(isIn.firstIndex(of: true))
            #expect(first > 0 && isIn[first...].allSatisfy { $0 }, "device \(index)")
            firsts.insert(first)
        }
        // Devices differ in the share at which they get the version.
        #expect(firsts.count == 20)
    }

    @Test("The part of the devices that get a version is the share") mutating func distribution() async throws {
        let shares = [100, 250, 500, 750, 900]
        for (sequence, share) in shares.enumerated() {
            repository.addRelease("1", sequence, ["share": .number(share)])
        }
        let releases = try await published()
        #expect(releases.count == shares.count)
        let devices = (0..<2_000).map { makeDevice("device \($0)") }
        for release in releases {
            let count = try devices.count { try reason(release, $0) == .chosen }
            #expect(abs(count - 2 * Int(release.share)) <= 40, "\(count) of 2,000 at share \(release.share)")
        }
    }

    @Test("Other versions and other packages reach other devices first") func independence() throws {
        let (second, help) = (try PackageVersion("2"), try PackageID("help"))
        let numbers = (0..<2_000).map { index in
            let device = makeDevice("device \(index)")
            let (a, b) = (device.number(for: first, of: shop), device.number(for: second, of: shop))
            return (a, b, device.number(for: first, of: help))
        }
        // Independent halves share a quarter of the devices.
        for count in [numbers.count { $0.0 < 500 && $0.1 < 500 }, numbers.count { $0.0 < 500 && $0.2 < 500 }] {
            #expect(abs(count - 500) <= 40, "\(count) of 2,000")
        }
        #expect(numbers.allSatisfy { (0..<1_000).contains($0.0) })
        // The number stays the same.
        #expect(makeDevice("device 0").number(for: first, of: shop) == numbers[0].0)
    }
}

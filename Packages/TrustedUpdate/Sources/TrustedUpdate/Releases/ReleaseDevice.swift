// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
@_spi(Packaging) internal import PackageFormat

/// The properties of a device on which releases depend.
struct ReleaseDevice: Sendable {
    let channel: String
    /// Random text that stays the same on the device, and is never sent.
    let seed: String
    let now: Date

    /// Returns the number of the device for a version, from 0 to 999. It decides on the share, so that a device that
    /// gets a version also gets it with a larger share. Other versions have other numbers, so that not the same devices
    /// get all versions first.
    func number(for version: PackageVersion, of package: PackageID) -> Int {
        let digest = SHA256Digest(of: Data("\(package)\n\(version)\n\(seed)".utf8)).bytes
        return Int(digest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } % UInt32(Release.wholeShare))
    }

    /// Chooses among the releases of one package.
    /// - Parameter versions: the versions of the package on the device.
    /// - Returns: the release of the device, or `nil` for none; and the reasons for all releases.
    func choose(
        _ releases: [Release], of package: PackageID, for versions: DeviceVersions
    ) -> (release: Release?, explanation: ReleaseExplanation) {
        var chosen: Release?
        let lowest = lowestSequence(of: releases, for: versions)
        let verdicts = releases.sorted { $0.sequence > $1.sequence }.map { release in
            var reason = obstacle(to: release, for: versions)
            if reason == nil, let lowest, release.sequence < lowest { reason = .older }
            if reason == nil, chosen != nil { reason = .superseded }
            if reason == nil { chosen = release }
            return ReleaseExplanation.Verdict(
                version: release.version, sequence: release.sequence, reason: reason ?? .chosen)
        }
        return (chosen, ReleaseExplanation(package: package, verdicts: verdicts))
    }

    /// Returns the lowest number of a release that the device can get. It does not go back from its active version,
    /// unless this is one of other channels: a tester who leaves a channel gets the release of the new one.
    private func lowestSequence(of releases: [Release], for versions: DeviceVersions) -> Int64? {
        guard let active = versions.active else { return nil }
        guard let release = releases.first(where: { $0.version == active }) else { return versions.activeSequence }
        return release.channels.contains(channel) ? release.sequence : nil
    }

    private func obstacle(to release: Release, for versions: DeviceVersions) -> ReleaseReason? {
        if !release.channels.contains(channel) { return .otherChannel }
        if release.isStopped { return .stopped }
        if let start = release.start, now < start { return .notStarted(Int64(start.timeIntervalSince1970)) }
        if let minHost = release.minHost, !HostVersion.allows(minHost, in: versions.host) {
            return .hostTooOld(minHost)
        }
        if versions.failed.contains(release.version) { return .failedTrial }
        let number = number(for: release.version, of: release.package)
        return number < release.share ? nil : .outsideShare(number: number, share: Int(release.share))
    }
}

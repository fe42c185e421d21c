// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The reason for which a device gets a release or not.
public enum ReleaseReason: Sendable, Hashable {
    /// The device gets the release.
    case chosen
    /// A release with a higher number is for the device.
    case superseded
    /// The device has a release with a higher number.
    case older
    /// The release is for other channels.
    case otherChannel
    /// The publisher has stopped the release.
    case stopped
    /// The release starts later, at seconds since 1970.
    case notStarted(Int64)
    /// The app is older than the release requires, or its version is not known.
    case hostTooOld(PackageVersion)
    /// The version failed its trial on this device.
    case failedTrial
    /// The device is not in the share of the release: its number, from 0 to 999, is not below the share.
    case outsideShare(number: Int, share: Int)
}

/// The releases of a package, and what a device gets.
public struct ReleaseExplanation: Sendable, Hashable {
    /// A release and the reason for which the device gets it or not.
    public struct Verdict: Sendable, Hashable {
        /// The version of the release.
        public let version: PackageVersion
        /// The number of the release.
        public let sequence: Int64
        /// The reason for which the device gets the release or not.
        public let reason: ReleaseReason

        /// Creates a verdict.
        public init(version: PackageVersion, sequence: Int64, reason: ReleaseReason) {
            self.version = version
            self.sequence = sequence
            self.reason = reason
        }
    }

    /// The package.
    public let package: PackageID
    /// The releases, from the highest number to the lowest.
    public let verdicts: [Verdict]

    /// Creates an explanation.
    public init(package: PackageID, verdicts: [Verdict]) {
        self.package = package
        self.verdicts = verdicts
    }

    /// The version that the device gets, or `nil` for none.
    public var version: PackageVersion? { verdicts.first { $0.reason == .chosen }?.version }
}

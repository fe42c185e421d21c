// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What came of a look for an update.
public struct PackageUpdate: Sendable, Hashable {
    /// What is different now.
    public enum Outcome: Sendable, Hashable {
        /// It is active already, or staged already.
        case unchanged
        /// It is active now.
        case activated
        /// It is there and waits.
        case staged(ApplyTiming)
    }

    /// How its bytes came.
    public enum Transfer: Sendable, Hashable {
        /// None had to come.
        case nothing
        /// Ranges of the archive.
        case ranges
        /// The whole archive.
        case whole
        /// The whole archive, after ranges of it did not lead there.
        case wholeAfterRanges
    }

    /// What is different now.
    public var outcome: Outcome
    /// What is active, or waits to be.
    public var package: InstalledPackage
    /// How its bytes came.
    public var transfer: Transfer
    /// What went over the network after the manifest.
    public var traffic: DeliveryTraffic
}

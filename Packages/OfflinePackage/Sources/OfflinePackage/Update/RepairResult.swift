// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import PackageFormat

/// What came of a look at what a package has lost.
public enum RepairResult: Sendable, Hashable {
    /// It has all its files.
    case whole
    /// It has all its files again: so many were fetched.
    case repaired(files: Int, transfer: PackageUpdate.Transfer, traffic: DeliveryTraffic)
    /// It was not fetched by an updater, so nobody knows from where it could be: installing or updating it repairs it.
    case unknownSource
    /// Its source has this version by now, perhaps with other files: an update repairs it.
    case outdated(PackageVersion)
}

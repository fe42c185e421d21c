// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The limits of a TUF client. The default values for metadata are those of python-tuf 7.0.
package struct TrustLimits: Sendable {
    /// The maximum number of bytes of root metadata.
    package var rootBytes = 512_000
    /// The maximum number of bytes of timestamp metadata.
    package var timestampBytes = 16_384
    /// The maximum number of bytes of snapshot metadata.
    package var snapshotBytes = 2_000_000
    /// The maximum number of bytes of the metadata of one targets role.
    package var targetsBytes = 5_000_000
    /// The maximum number of bytes of a target.
    package var targetBytes = 64 << 20
    /// The maximum number of new roots of one refresh.
    package var rootRotations = 256
    /// The maximum number of delegated roles that are searched for one target.
    package var delegations = 32

    /// Creates the default limits.
    package init() {}
}

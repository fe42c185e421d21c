// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PackageFormat

extension PackageManifest {
    /// Checks the minimum version of the host.
    /// - Parameters:
    ///   - host: the host's own version, or `nil` if it is not known.
    ///   - location: the URL or path for the error.
    /// - Throws: ``DeliveryError`` with code `host-too-old`.
    func check(host: PackageVersion?, at location: String) throws {
        guard HostVersion.allows(minHost, in: host) else {
            throw DeliveryError(
                .hostTooOld, "version \(version) requires host version \(minHost?.description ?? "") or later",
                at: location)
        }
    }
}

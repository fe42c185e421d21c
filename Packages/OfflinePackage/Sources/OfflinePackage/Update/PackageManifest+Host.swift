// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PackageFormat

extension PackageManifest {
    /// - Parameter location: what the error is about: a URL or a path.
    /// - Throws: ``DeliveryError`` with code `host-too-old`.
    func check(host: PackageVersion?, at location: String) throws {
        guard HostVersion.allows(minHost, in: host) else {
            throw DeliveryError(
                .hostTooOld, "version \(version) asks for a host of version \(minHost?.description ?? "")",
                at: location)
        }
    }
}

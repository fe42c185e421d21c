// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Never run on Linux; Scripts/check-darwin type-checks it.

internal import Foundation

#if canImport(Darwin)
    internal import Network
#endif

extension URLSessionTransport.EncryptedResolver {
    /// Uses the server for all later connections of the process. Does nothing on other systems than Apple's.
    func apply() {
        #if canImport(Darwin)
            guard let url = URL(string: url), let number = UInt16(exactly: url.port ?? 443),
                let port = NWEndpoint.Port(rawValue: number)
            else { return }
            let servers = addresses.map { NWEndpoint.hostPort(host: NWEndpoint.Host("\($0)"), port: port) }
            NWParameters.PrivacyContext.default.requireEncryptedNameResolution(
                true, fallbackResolver: .https(url, serverAddresses: servers))
        #endif
    }
}

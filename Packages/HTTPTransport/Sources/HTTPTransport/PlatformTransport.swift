// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The transport that suits the system.
public enum PlatformTransport {
    /// URLSession on Apple's systems, for their proxies and App Transport Security; AsyncHTTPClient elsewhere.
    public static func make() -> any HTTPTransporting {
        #if canImport(Darwin)
            URLSessionTransport()
        #else
            AsyncHTTPTransport()
        #endif
    }
}

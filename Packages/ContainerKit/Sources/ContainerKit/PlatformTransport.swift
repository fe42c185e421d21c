// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTransport

// `Network` is a trait of the package.
#if Network && !canImport(Darwin)
    internal import NIOTransport
#endif

/// The default transport of the system.
public enum PlatformTransport {
    /// Returns a URLSession transport on Apple's systems, for their proxies and App Transport Security. Elsewhere it
    /// returns an AsyncHTTPClient transport, or a URLSession transport if the package is built without the trait
    /// `Network`.
    public static func make() -> any HTTPTransporting {
        #if Network && !canImport(Darwin)
            AsyncHTTPTransport()
        #else
            URLSessionTransport()
        #endif
    }
}

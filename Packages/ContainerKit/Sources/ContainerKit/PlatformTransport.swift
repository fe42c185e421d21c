// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTransport

// `Network` is a trait of the package.
#if Network && !canImport(Darwin)
    internal import NIOTransport
#endif

/// The default transport of ``ContainerConfiguration/Network/transport``.
enum PlatformTransport {
    static func make() -> any HTTPTransporting {
        #if Network && !canImport(Darwin)
            AsyncHTTPTransport()
        #else
            URLSessionTransport()
        #endif
    }
}

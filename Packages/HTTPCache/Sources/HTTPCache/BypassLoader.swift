// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading

extension CachingLoader {
    /// Returns the loader of requests that bypass this cache. An unsafe request (RFC 9110, section 9.2.1) passes
    /// through the cache, which invalidates the stored responses of the URL and does not store the new response.
    /// - Parameter network: the loader of safe requests.
    @_spi(Facade) public func makeBypassLoader(network: any ResourceLoader) -> any ResourceLoader {
        BypassLoader(network: network, cache: self)
    }
}

private struct BypassLoader: ResourceLoader {
    let network: any ResourceLoader
    let cache: CachingLoader

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let isSafe = [.get, .head, .options, .trace].contains(request.head.method)
        return try await isSafe ? network.load(request) : cache.pass(request)
    }
}

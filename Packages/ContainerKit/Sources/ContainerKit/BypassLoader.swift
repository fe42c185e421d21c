// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPCache
internal import HTTPTypes
internal import ResourceLoading

/// Asks for what the rules keep from the container: the network alone. A request that may change something goes by way
/// of the HTTP cache, which asks the network too, so that what it holds of that URL answers nobody any more; it keeps
/// nothing of the answer.
struct BypassLoader: ResourceLoader {
    let network: any ResourceLoader
    let cache: CachingLoader

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let isSafe = [.get, .head, .options, .trace].contains(request.head.method)
        return try await isSafe ? network.load(request) : cache.pass(request)
    }
}

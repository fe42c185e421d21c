// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a cache does with a request.
enum CacheDecision: Sendable, Hashable {
    /// Answer with a stored response.
    case use(StoredResponse)
    /// Answer with a stored response that is stale, and validate it meanwhile (RFC 5861, section 3).
    case useAndRevalidate(StoredResponse)
    /// Ask the origin whether a stored response is still right.
    case validate(StoredResponse)
    /// Ask the origin.
    case forward
    /// Answer `504`: the request wants no other than a stored response, and there is none (RFC 9111, section 5.2.1.7).
    case gatewayTimeout
}

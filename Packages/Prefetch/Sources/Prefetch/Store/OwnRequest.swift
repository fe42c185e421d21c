// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// A page's own request, in the form for comparison with prefetch requests.
struct OwnRequest: Sendable {
    let identity: RequestIdentity
    let fields: HTTPFields
    let page: PageAttribution
    /// A Boolean value that indicates whether cookies of the response are stored. If not, a response with cookies does
    /// not match.
    var keepsCookies = true
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// A page's own request, as it is compared with those made ahead.
struct OwnRequest: Sendable {
    let identity: RequestIdentity
    let fields: HTTPFields
    let page: PageAttribution
    /// Whether cookies that the answer brings are kept where it goes; an answer that has some is not for it otherwise.
    var keepsCookies = true
}

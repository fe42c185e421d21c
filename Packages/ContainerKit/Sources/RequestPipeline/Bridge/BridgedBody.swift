// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
internal import ResourceLoading

/// The information that a page's script has passed through the bridge for a request.
struct BridgedBody: Sendable {
    /// The body; `nil` if it is unknown whether the request has one.
    var body: ResourceBody?
    /// A Boolean value that indicates whether the request outlives its page (`keepalive` in Fetch).
    var isKeptAlive = false
    /// The credentials mode of the request, if the script has set it.
    var credentials = ResourceRequest.Credentials.unknown
    /// A Boolean value that indicates whether the request has the mode `no-cors`.
    var asksWithoutCORS = false
    /// A Boolean value that indicates whether redirects are followed.
    var followsRedirects = true
    /// The time limit of the whole response, if the script has set one.
    var timeLimit: Duration?
    /// The identifier under which the script requests the URL of the response; `nil` if no script requests it.
    var id: BodyID?
    /// The site to which the document of the script has proven to belong.
    var provenSite: String?
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
internal import ResourceLoading

/// What the bridge gave back to a request.
struct BridgedBody: Sendable {
    /// `nil` where nobody knows whether the request has one.
    var body: ResourceBody?
    /// Whether the request goes on when its page is gone.
    var isKeptAlive = false
    /// Whether cookies go along, where the page's script said.
    var credentials = ResourceRequest.Credentials.unknown
    /// Whether the page's script asks without CORS.
    var asksWithoutCORS = false
    /// Whether an answer that leads elsewhere is followed there.
    var followsRedirects = true
    /// How long the answer may take in all, where the page's script said.
    var timeLimit: Duration?
    /// By which the page's script asks where the answer came from; `nil` where no script asks for it.
    var id: BodyID?
    /// The site that the document of the script has proven to be of.
    var provenSite: String?
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// What the bridge knows of a request of a page.
public struct BridgedRequest: Sendable {
    /// Where its body is.
    public enum Body: Sendable {
        /// Nobody said anything of it: where the engine has some plain bytes, it is those.
        case unknown
        /// The engine has it, if it is of the request that the script spoke of.
        case announced
        /// It has none.
        case none
        /// The engine has it, as plain bytes.
        case engine
        /// Here.
        case value(ResourceBody)
    }

    /// Where its body is.
    public var body = Body.unknown
    /// Whether it goes on when its page is gone.
    public var isKeptAlive = false
    /// Whether cookies go along, where the script said; `nil` for requests of elements and documents, too.
    public var credentials: BridgeHeader.Credentials?
    /// Whether the page's script asks without CORS, as a beacon does: of another origin's answer it reads nothing.
    public var asksWithoutCORS = false
    /// Whether an answer that leads elsewhere is followed there.
    public var followsRedirects = true
    /// How long the answer may take in all, where the script said.
    public var timeLimit: Duration?
    /// By which the script asks where the answer came from; see ``PageBridge/record(_:of:)``.
    public var id: BodyID?
    /// The site that the script's document has proven to be of; see ``PageBridge/prove(_:)``.
    public var provenSite: String?
}

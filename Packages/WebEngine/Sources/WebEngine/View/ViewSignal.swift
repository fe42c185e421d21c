// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// An event of a view. URLs are in the engine's form, with the custom scheme instead of https in custom-scheme mode.
public enum ViewSignal: Sendable {
    /// A navigation was requested. The URL is that of the request if the engine knows it, and otherwise that of the
    /// current document, or empty.
    case started(url: String)
    /// The document began to arrive.
    case committed(url: String)
    /// The page and its initial resources have loaded.
    case finished(url: String)
    /// A load ended before it was complete, and not because of a failure: the page or the app stopped it, another
    /// navigation of the page replaced it, or the response became a download or has no content. The committed document
    /// stays. A load that the app requested and that ends before its commit is ``failed(url:error:)``.
    case stopped(url: String)
    /// A navigation failed.
    case failed(url: String, error: EngineError)
    /// The load of a resource over http or https ended. The engine loaded the resource itself, without the container.
    case resource(EngineResource)
    /// The document of a frame is about to be shown. The engine loaded it over http or https, without the container.
    case frameLoaded(url: String)
    /// The web process ended. The view shows no page.
    case processEnded(reason: String)
    /// The view became visible or hidden, with or without a web process.
    case visibilityChanged(isVisible: Bool)
}

/// A resource that the engine loaded without the container.
public struct EngineResource: Sendable, Hashable {
    /// The URL of the resource.
    public let url: String
    /// The HTTP status; `nil` if there was no response.
    public let status: Int?
    /// The announced size of the body in bytes; `nil` if unknown.
    public let length: Int64?
    /// The reason for the failure; `nil` if the load succeeded.
    public let failure: String?

    /// Creates a report of a resource whose load ended.
    public init(url: String, status: Int?, length: Int64?, failure: String?) {
        self.url = url
        self.status = status
        self.length = length
        self.failure = failure
    }
}

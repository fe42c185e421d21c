// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Something that happened to a view. URLs are as the engine names them.
public enum ViewSignal: Sendable {
    /// A navigation was asked for.
    case started(url: String)
    /// The document begins to arrive.
    case committed(url: String)
    /// The page and all that it loads at first are there.
    case finished(url: String)
    /// A navigation failed.
    case failed(url: String, error: EngineError)
    /// A resource that the engine loaded itself over http or https, past the container, ended.
    case resource(EngineResource)
    /// The document of a frame, loaded over http or https past the container, is about to be shown.
    case frameLoaded(url: String)
    /// The web process is gone; the view shows nothing.
    case processEnded(reason: String)
    /// The view came in sight, or went out of it, with or without a process.
    case visibilityChanged(isVisible: Bool)
}

/// A resource that the engine loaded.
public struct EngineResource: Sendable, Hashable {
    /// Where it was loaded from.
    public let url: String
    /// The HTTP status; `nil` where there was no answer.
    public let status: Int?
    /// The announced size of the body in bytes; `nil` where it is not known.
    public let length: Int64?
    /// Why it failed; `nil` where it did not.
    public let failure: String?

    /// Makes the report of a resource that ended.
    public init(url: String, status: Int?, length: Int64?, failure: String?) {
        self.url = url
        self.status = status
        self.length = length
        self.failure = failure
    }
}

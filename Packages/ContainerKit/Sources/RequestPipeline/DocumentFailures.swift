// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import HTTPTypes
package import ResourceLoading
package import WebEngine

/// The errors of documents that could not be loaded, by real URL. They are more precise than the errors of engines,
/// which see only a closed connection or a failed scheme task.
///
/// Isolation: any.
package final class DocumentFailures: Sendable {
    private struct Failure {
        let url: String
        let error: ResourceError
        let time: ContinuousClock.Instant
    }

    private let last = Mutex<[Failure]>([])
    /// The maximum number of failures that are stored.
    private static let limit = 16
    /// The maximum time between a failure and the engine's error for it.
    private static let age = Duration.seconds(30)

    package init() {}

    /// Records that a document failed. A cancellation removes the record of the document instead.
    /// - Parameters:
    ///   - url: the real URL without its fragment.
    ///   - error: the error.
    ///   - time: the time of the failure.
    package func failed(_ url: String, because error: ResourceError, at time: ContinuousClock.Instant = .now) {
        guard error.code != .cancelled else { return answered(url) }
        last.withLock { last in
            last.removeAll { $0.url == url }
            last.append(Failure(url: url, error: error, time: time))
            if last.count > Self.limit { last.removeFirst() }
        }
    }

    /// Records that a document has a response.
    package func answered(_ url: String) {
        last.withLock { $0.removeAll { $0.url == url } }
    }

    /// Returns the recorded failure for an error of the engine, and removes it. Returns `error` if there is no recorded
    /// failure or if the engine's error is more specific.
    /// - Parameters:
    ///   - error: the error of the engine.
    ///   - url: the real URL of the document.
    ///   - time: the current time.
    package func explained(_ error: EngineError, of url: String, at time: ContinuousClock.Instant = .now) -> EngineError
    {
        guard [.loadFailed, .connectionLost, .badAnswer].contains(error.code) else { return error }
        let place = HTTPRequest(urlText: url)?.urlText ?? url
        let failure = last.withLock { last in
            last.firstIndex { $0.url == place }.map { last.remove(at: $0) }
        }
        guard let failure, time - failure.time < Self.age, let code = EngineError.Code(failure.error.code) else {
            return error
        }
        return EngineError(code, failure.error.message, at: url)
    }
}

extension EngineError.Code {
    /// Creates the corresponding code of the engine, or returns `nil` if there is none.
    fileprivate init?(_ code: ResourceError.Code) {
        switch code {
        case .unknownHost: self = .unknownHost
        case .cannotConnect, .offline: self = .cannotConnect
        case .tls: self = .tls
        case .connectionLost: self = .connectionLost
        case .timedOut: self = .timedOut
        case .blocked: self = .blocked
        default: return nil
        }
    }
}

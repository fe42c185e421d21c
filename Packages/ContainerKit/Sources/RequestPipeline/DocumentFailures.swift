// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import HTTPTypes
package import ResourceLoading
package import WebEngine

/// Why documents could not be had, by their real URLs. Engines hear of it at second hand: by a connection that ends, or as
/// a failure of a custom scheme.
///
/// Isolation: any.
package final class DocumentFailures: Sendable {
    private struct Failure {
        let url: String
        let error: ResourceError
        let time: ContinuousClock.Instant
    }

    private let last = Mutex<[Failure]>([])
    /// The most that are kept.
    private static let limit = 16
    /// How long after it a failure may be what the engine speaks of.
    private static let age = Duration.seconds(30)

    package init() {}

    /// Records that a document failed.
    /// - Parameter url: without a fragment.
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

    /// A failure in the words of who knows more, where there are such: once.
    /// - Parameter url: the real one of what the engine could not load.
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
    /// The engine's code for what happened below it; `nil` where it has none.
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

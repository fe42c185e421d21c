// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import Synchronization

/// Why documents could not be had, by their real URLs. Engines hear of it at second hand: by a connection that ends, or as
/// a failure of a custom scheme.
///
/// Isolation: any.
final class DocumentFailures: Sendable {
    private let last = Mutex<[(url: String, error: ResourceError)]>([])
    /// The most that are kept.
    private static let limit = 16

    /// Notes how a request has ended, before the engine hears of it.
    /// - Parameter error: `nil` for an answer.
    func note(_ request: ResourceRequest, _ error: ResourceError?) {
        guard request.destination == .document else { return }
        note(request.head.urlText, error)
    }

    /// - Parameter url: without a fragment.
    func note(_ url: String, _ error: ResourceError?) {
        last.withLock { last in
            last.removeAll { $0.url == url }
            guard let error, error.code != .cancelled else { return }
            last.append((url, error))
            if last.count > Self.limit { last.removeFirst() }
        }
    }

    /// A failure in the words of who knows more, where there are such.
    /// - Parameter url: the real one of what the engine could not load.
    func explained(_ error: EngineError, of url: String) -> EngineError {
        guard [.loadFailed, .connectionLost, .badAnswer].contains(error.code) else { return error }
        let place = HTTPRequest(urlText: url)?.urlText ?? url
        let cause = last.withLock { last in last.last { $0.url == place }?.error }
        guard let cause, let code = EngineError.Code(cause.code) else { return error }
        return EngineError(code, cause.message, at: url)
    }
}

extension EngineError.Code {
    /// The engine's code for what happened below it; `nil` where it has none.
    fileprivate init?(_ code: ResourceError.Code) {
        switch code {
        case .unknownHost: self = .unknownHost
        case .cannotConnect: self = .cannotConnect
        case .tls: self = .tls
        case .connectionLost: self = .connectionLost
        case .timedOut: self = .timedOut
        case .blocked: self = .blocked
        default: return nil
        }
    }
}

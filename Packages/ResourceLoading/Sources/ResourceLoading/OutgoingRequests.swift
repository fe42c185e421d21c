// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import HTTPTypes
internal import WebSyntax

/// The requests that the container has given to code of the app and whose response heads it awaits.
///
/// Code of the app, such as a transport, may send a request with a session that the container intercepts. The request
/// then comes back to the container. A property of a request is lost on Linux, and a header field would leave the
/// device, so the mark of a request is held in the process: its method and URL. A request that comes back is recognised
/// at once. As long as the mark exists, an equal request of the app also counts as one that came back.
///
/// Isolation: any.
public final class OutgoingRequests: Sendable {
    private struct Mark {
        /// The number of steps in progress.
        var steps = 0
        /// A Boolean value that indicates whether the request came back.
        var hasReturned = false
    }

    private struct State {
        var marks: [Key: Mark] = [:]
        var returned = 0
        /// The requests that were reported.
        var reported: Set<Key> = []
    }

    /// The maximum number of requests that are reported.
    private static let reportLimit = 64

    private let state = Mutex(State())
    private let report: @Sendable (HTTPRequest) -> Void

    /// Creates an empty set.
    /// - Parameter report: a closure that receives each request that came back, once for each method and URL and at
    ///   most 64 times, after the step of the app's code has ended.
    public init(report: @escaping @Sendable (HTTPRequest) -> Void = { _ in }) {
        self.report = report
    }

    /// The number of requests that came back.
    public var returned: Int { state.withLock(\.returned) }

    /// Runs a step of the app's code with the request marked.
    /// - Throws: the errors of the step.
    public func marking<Value: Sendable>(
        _ request: HTTPRequest, _ step: @Sendable () async throws -> Value
    ) async rethrows -> Value {
        let key = Key(request)
        state.withLock { $0.marks[key, default: Mark()].steps += 1 }
        defer { end(key, request) }
        return try await step()
    }

    /// Returns a Boolean value that indicates whether a request is one of the container's own that came back. Sessions
    /// may ask several times about one request.
    /// - Parameters:
    ///   - request: the request.
    ///   - isOwnProcess: a closure that returns a Boolean value that indicates whether this process has sent the
    ///     request. It is called if an equal request is marked; the default returns `true`.
    public func contains(_ request: HTTPRequest, from isOwnProcess: () -> Bool = { true }) -> Bool {
        guard state.withLock({ !$0.marks.isEmpty }) else { return false }
        let key = Key(request)
        guard state.withLock({ $0.marks[key] != nil }), isOwnProcess() else { return false }
        return state.withLock { state in
            guard let mark = state.marks[key] else { return false }
            if !mark.hasReturned {
                state.marks[key]?.hasReturned = true
                state.returned += 1
            }
            return true
        }
    }

    private func end(_ key: Key, _ request: HTTPRequest) {
        let isReported = state.withLock { state in
            let hasReturned = state.marks[key]?.hasReturned == true
            state.marks[key]?.steps -= 1
            if state.marks[key]?.steps == 0 { state.marks[key] = nil }
            return hasReturned && state.reported.count < Self.reportLimit && state.reported.insert(key).inserted
        }
        if isReported { report(request) }
    }

    /// The method and the URL of a request, in a form that conversions between URL types do not change: without a
    /// default port, and with percent-encoded bytes decoded.
    private struct Key: Hashable {
        private let method: String
        private let origin: WebOrigin?
        private let path: [UInt8]

        init(_ request: HTTPRequest) {
            method = request.method.rawValue
            origin = request.webOrigin
            path = Self.decoded(request.path ?? "/")
        }

        private static func decoded(_ path: String) -> [UInt8] {
            var bytes: [UInt8] = []
            var rest = path.utf8[...]
            while let byte = rest.popFirst() {
                let digits = rest.prefix(2).compactMap(\.hexDigitValue)
                if byte == UInt8(ascii: "%"), digits.count == 2 {
                    bytes.append(digits[0] << 4 | digits[1])
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            }
            return bytes
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import Foundation
package import HTTPTypes
package import Logging
package import ResourceStore
package import WebEngine

/// The header fields that the engine adds to its requests: user agent, languages, content codings.
///
/// Engines have no interface that returns these fields. They are therefore recorded from the engine's document
/// requests and stored for the next launch.
///
/// Isolation: any.
package final class EngineFields: Sendable {
    private struct State {
        var fields: HTTPFields?
        /// The user agents of views, other than the engine's own, newest last.
        var agents: [UserAgent] = []
        var waiters: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var lastWaiter: UInt64 = 0

        /// Returns the fields with the engine's own user agent, or without a user agent if only the user agent of the
        /// view is known.
        func ofEngine(_ fields: HTTPFields) -> HTTPFields {
            guard let sentUserAgent = fields[.userAgent] else { return fields }
            var fields = fields
            if agents.contains(where: { $0.isWhole(sentUserAgent) }) {
                fields[.userAgent] = self.fields?[.userAgent]
            } else if let own = agents.compactMap({ $0.own(by: sentUserAgent) }).min(by: { $0.count < $1.count }) {
                // Take the shortest remainder, from which the longest token was removed: a token may end with another
                // token.
                fields[.userAgent] = own
            }
            return fields
        }
    }

    static let names: [HTTPField.Name] = [.accept, .acceptEncoding, .acceptLanguage, .userAgent]
    private static let document = "prefetch-fields"
    private let state: Mutex<State>
    private let store: @Sendable (Data) -> Void

    /// Creates the fields of an engine.
    /// - Parameters:
    ///   - stored: the data that `store` received last; `nil` if there is none.
    ///   - store: a closure that stores the fields for the next launch. It may be called on any thread, and must not
    ///     block.
    package init(_ stored: Data? = nil, store: @escaping @Sendable (Data) -> Void = { _ in }) {
        let values = stored.flatMap { try? JSONDecoder().decode([String: String].self, from: $0) }
        var fields = values.map { _ in HTTPFields() }
        for name in Self.names { fields?[name] = values?[name.canonicalName] }
        state = Mutex(State(fields: fields))
        self.store = store
    }

    /// Reads the fields that the last process stored.
    /// - Parameters:
    ///   - store: the store.
    ///   - mode: the interception mode, if the container has several modes; `nil` for the first mode.
    ///   - logger: the logger.
    @concurrent
    package static func open(
        _ store: BlobStore, of mode: InterceptionMode? = nil, logger: Logger
    ) async -> EngineFields {
        let document = mode.map { "\(Self.document)-\($0.rawValue)" } ?? Self.document
        let queue = SerialQueue("container.prefetch")
        let warn = { @Sendable (error: any Error) in
            // In the next launch, prefetches wait for the first document request.
            logger.warning("cannot store the header fields of the engine", metadata: ["error": "\(error)"])
        }
        var stored: Data?
        do { stored = try store.document(document) } catch { warn(error) }
        return EngineFields(stored) { data in
            queue.enqueue { do { try store.putDocument(data, as: document) } catch { warn(error) } }
        }
    }

    /// Registers a user agent of views, which is removed from recorded requests.
    package func use(_ agent: UserAgent) {
        guard agent != .engine else { return }
        state.withLock { state in
            state.agents.removeAll { $0 == agent }
            state.agents = state.agents.suffix(Self.agentLimit - 1) + [agent]
        }
    }

    /// The maximum number of registered user agents.
    private static let agentLimit = 32

    /// Records the header fields of an engine's document request.
    package func record(_ request: HTTPRequest) {
        var recorded = HTTPFields()
        for name in Self.names { recorded[name] = request.headerFields[name] }
        let (fields, waiters) = state.withLock { state -> (HTTPFields?, [AsyncStream<Void>.Continuation]) in
            let fields = state.ofEngine(recorded)
            guard state.fields != fields else { return (nil, []) }
            state.fields = fields
            defer { state.waiters = [:] }
            return (fields, Array(state.waiters.values))
        }
        guard let fields else { return }
        for waiter in waiters { waiter.finish() }
        let values = Dictionary(fields.map { ($0.name.canonicalName, $0.value) }) { $1 }
        if let data = try? JSONEncoder().encode(values) { store(data) }
    }

    /// Returns the fields. In the first launch, this waits for the engine's first document request.
    /// - Throws: `CancellationError`.
    package func known() async throws -> HTTPFields {
        let (signal, waiter) = AsyncStream.makeStream(of: Void.self)
        let (fields, number) = state.withLock { state -> (HTTPFields?, UInt64) in
            state.lastWaiter += 1
            if state.fields == nil { state.waiters[state.lastWaiter] = waiter }
            return (state.fields, state.lastWaiter)
        }
        if let fields { return fields }
        for await _ in signal {}
        let found = state.withLock { state in
            state.waiters[number] = nil
            return state.fields
        }
        guard let found else { throw CancellationError() }
        return found
    }
}

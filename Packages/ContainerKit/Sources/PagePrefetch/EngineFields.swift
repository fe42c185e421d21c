// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import Logging
internal import ResourceStore
internal import WebEngine

/// What the engine adds to its requests by itself: user agent, languages, codings. No engine says it when it is asked,
/// so it is read from the engine's requests for documents, and kept for the next launch.
///
/// Isolation: any.
final class EngineFields: Sendable {
    private struct State {
        var fields: HTTPFields?
        /// What views call themselves beside the engine's own, newest last.
        var agents: [UserAgent] = []
        var waiters: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var lastWaiter: UInt64 = 0

        /// The fields with what the engine calls itself, whatever the view does that sent them; without a name where only
        /// that of the view is known.
        func ofEngine(_ fields: HTTPFields) -> HTTPFields {
            guard let said = fields[.userAgent] else { return fields }
            var fields = fields
            if agents.contains(where: { $0.isWhole(said) }) {
                fields[.userAgent] = self.fields?[.userAgent]
            } else if let own = agents.compactMap({ $0.own(by: said) }).min(by: { $0.count < $1.count }) {
                // That of the longest token: one may end with another.
                fields[.userAgent] = own
            }
            return fields
        }
    }

    static let names: [HTTPField.Name] = [.accept, .acceptEncoding, .acceptLanguage, .userAgent]
    private static let document = "prefetch-fields"
    private let state: Mutex<State>
    private let keep: @Sendable (Data) -> Void

    /// - Parameters:
    ///   - kept: what ``keep`` was given last; `nil` for none.
    ///   - keep: keeps it for the next launch. It may be called on any thread, and does not wait.
    init(_ kept: Data? = nil, keep: @escaping @Sendable (Data) -> Void = { _ in }) {
        let values = kept.flatMap { try? JSONDecoder().decode([String: String].self, from: $0) }
        var fields = values.map { _ in HTTPFields() }
        for name in Self.names { fields?[name] = values?[name.canonicalName] }
        state = Mutex(State(fields: fields))
        self.keep = keep
    }

    /// Reads what the last process has kept.
    /// - Parameter mode: that of a container of several modes; `nil` for its first.
    @concurrent
    static func open(
        _ store: BlobStore, of mode: InterceptionMode? = nil, logger: Logger
    ) async -> EngineFields {
        let document = mode.map { "\(Self.document)-\($0.rawValue)" } ?? Self.document
        let queue = SerialQueue("container.prefetch")
        let warn = { @Sendable (error: any Error) in
            // The next launch waits for its first document then.
            logger.warning("what the engine adds to requests is not kept", metadata: ["error": "\(error)"])
        }
        var kept: Data?
        do { kept = try store.document(document) } catch { warn(error) }
        return EngineFields(kept) { data in
            queue.enqueue { do { try store.putDocument(data, as: document) } catch { warn(error) } }
        }
    }

    /// Views call themselves so from now on, which tells something else of the engine than its own name.
    func use(_ agent: UserAgent) {
        guard agent != .engine else { return }
        state.withLock { state in
            state.agents.removeAll { $0 == agent }
            state.agents = state.agents.suffix(Self.agentLimit - 1) + [agent]
        }
    }

    /// The most agents that are told apart.
    private static let agentLimit = 32

    /// Notes a request of the engine for a page's document.
    func record(_ request: HTTPRequest) {
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
        if let data = try? JSONEncoder().encode(values) { keep(data) }
    }

    /// What the engine adds. Until it has asked for a document, in the first launch, this waits for that.
    /// - Throws: `CancellationError`.
    func known() async throws -> HTTPFields {
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

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Logging
internal import ResourceStore
internal import Synchronization

/// What the engine adds to its requests by itself: user agent, languages, codings. No engine says it when it is asked,
/// so it is read from the engine's requests for documents, and kept for the next launch.
///
/// Isolation: any.
final class EngineFields: Sendable {
    private struct State {
        var fields: HTTPFields?
        var waiters: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var lastWaiter: UInt64 = 0
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
    @concurrent
    static func open(_ store: ResourceStore, logger: Logger) async -> EngineFields {
        let queue = DispatchQueue(label: "container.prefetch", qos: .utility)
        let warn = { @Sendable (error: any Error) in
            // The next document says it again.
            logger.warning("what the engine adds to requests is not kept", metadata: ["error": "\(error)"])
        }
        var kept: Data?
        do { kept = try store.document(document) } catch { warn(error) }
        return EngineFields(kept) { data in
            queue.async { do { try store.putDocument(data, as: document) } catch { warn(error) } }
        }
    }

    /// Notes a request of the engine for a page's document.
    func note(_ request: HTTPRequest) {
        var fields = HTTPFields()
        for name in Self.names { fields[name] = request.headerFields[name] }
        let news = state.withLock { state -> [AsyncStream<Void>.Continuation]? in
            guard state.fields != fields else { return nil }
            state.fields = fields
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        guard let news else { return }
        for waiter in news { waiter.finish() }
        let values = Dictionary(fields.map { ($0.name.canonicalName, $0.value) }) { $1 }
        if let data = try? JSONEncoder().encode(values) { keep(data) }
    }

    /// What the engine adds. Until it has asked for a document, in the first launch, this waits for that.
    /// - Throws: `CancellationError`.
    func known() async throws -> HTTPFields {
        let (told, waiter) = AsyncStream.makeStream(of: Void.self)
        let (fields, number) = state.withLock { state -> (HTTPFields?, UInt64) in
            state.lastWaiter += 1
            if state.fields == nil { state.waiters[state.lastWaiter] = waiter }
            return (state.fields, state.lastWaiter)
        }
        if let fields { return fields }
        for await _ in told {}
        let found = state.withLock { state in
            state.waiters[number] = nil
            return state.fields
        }
        guard let found else { throw CancellationError() }
        return found
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import WebSyntax

/// One look-up: performs the effects of a ``LookUpState``.
struct LookUp: Sendable {
    /// The initial state.
    let state: LookUpState
    /// Asks the server with an index.
    let askServer: @Sendable (Int) async throws -> LookUpAnswer
    /// Asks the system.
    let askSystem: @Sendable () async throws -> [IPAddress]
    /// The clock of all times.
    let clock: any Clock<Duration>

    /// Runs the look-up to its end. Requests and times that are no longer needed are cancelled, and not waited for.
    /// - Parameter perform: a closure that performs the effects that concern the answer.
    @concurrent
    func run(_ perform: @Sendable (LookUpState.Effect) -> Void) async {
        let (events, source) = AsyncStream.makeStream(of: LookUpState.Event.self)
        var state = state
        var tasks: [Task<Void, Never>] = []
        defer { for task in tasks { task.cancel() } }
        tasks.append(timer(LookUpState.limit, .limitReached, source))
        var effects = state.start()
        var iterator = events.makeAsyncIterator()
        while true {
            for effect in effects {
                if let task = start(effect, source) { tasks.append(task) } else { perform(effect) }
            }
            guard !state.isEnded, let event = await iterator.next() else { return }
            effects = state.receive(event)
        }
    }

    /// Starts a request or a timer.
    /// - Returns: `nil` for other effects.
    private func start(
        _ effect: LookUpState.Effect, _ events: AsyncStream<LookUpState.Event>.Continuation
    ) -> Task<Void, Never>? {
        switch effect {
        case .askServer(let index):
            Task {
                do {
                    let answer = try await askServer(index)
                    events.yield(.server(index, .success(answer)))
                } catch {
                    events.yield(.server(index, .failure(error)))
                }
            }
        case .askSystem:
            Task {
                do {
                    let addresses = try await askSystem()
                    events.yield(.system(.success(addresses)))
                } catch {
                    events.yield(.system(.failure(error)))
                }
            }
        case .startHeadStart(let index): timer(LookUpState.headStart, .headStartEnded(index), events)
        case .startSystemDelay: timer(LookUpState.systemDelay, .systemDelayEnded, events)
        case .startSystemLimit: timer(LookUpState.systemLimit, .systemLimitReached, events)
        case .startMissingNameDelay: timer(LookUpState.missingNameDelay, .missingNameDelayEnded, events)
        case .deliver, .fail, .store, .record, .reportImplausible: nil
        }
    }

    private func timer(
        _ duration: Duration, _ event: LookUpState.Event, _ events: AsyncStream<LookUpState.Event>.Continuation
    ) -> Task<Void, Never> {
        Task {
            do {
                try await clock.sleep(for: duration)
                events.yield(event)
            } catch {
                // The look-up has ended.
            }
        }
    }
}

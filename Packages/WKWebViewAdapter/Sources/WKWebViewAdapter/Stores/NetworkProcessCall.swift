// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import AsyncSupport
    internal import WebEngine

    /// The time limit of one call of the network process.
    let networkProcessLimit = Duration.seconds(20)

    /// Runs a call of WebKit that completes only if the network process responds.
    ///
    /// After the limit the call continues, and its result is discarded, because WebKit has no means to cancel it.
    /// - Throws: `EngineError` with code `timedOut` after 20 seconds; `CancellationError`.
    @MainActor
    func callNetworkProcess<Value: Sendable>(
        by clock: any Clock<Duration>, _ what: String, _ call: @escaping @MainActor () async -> Value
    ) async throws -> Value {
        let task = Task { await call() }
        guard let value = await task.value(within: networkProcessLimit, clock: clock) else {
            try Task.checkCancellation()
            throw EngineError(.timedOut, "\(what) (limit \(networkProcessLimit))")
        }
        return value
    }
#endif

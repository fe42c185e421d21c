// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading

/// A sink whose delivery of a chunk waits until the test accepts or refuses the chunk.
@MainActor
final class HeldSink: SchemeTaskSink {
    private(set) var received: [String] = []
    private var held: CheckedContinuation<Void, any Error>?
    private var watcher: CheckedContinuation<Void, Never>?

    func receive(_ head: HTTPResponse, length: Int64?) {
        received.append("head \(length.map(String.init) ?? "?")")
    }

    func receive(_ head: HTTPResponse, whole body: WholeBody) {
        received.append("whole")
    }

    func receive(_ data: Data) async throws {
        received.append(String(decoding: data, as: UTF8.self))
        try await withCheckedThrowingContinuation { continuation in
            held = continuation
            watcher?.resume()
            watcher = nil
        }
    }

    func finish() {
        received.append("finish")
    }

    func fail(_ error: ResourceError) {
        received.append("fail \(error.code)")
    }

    /// Suspends until a chunk waits.
    func holds() async {
        guard held == nil else { return }
        await withCheckedContinuation { watcher = $0 }
    }

    /// Accepts the waiting chunk.
    func accept() {
        let held = held
        self.held = nil
        held?.resume()
    }

    /// Refuses the waiting chunk.
    func refuse() {
        let held = held
        self.held = nil
        held?.resume(throwing: ResourceError(.cancelled, "the engine does not read any more"))
    }
}

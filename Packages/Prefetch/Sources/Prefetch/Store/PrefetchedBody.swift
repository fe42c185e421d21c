// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

/// The body of a joined response, as a stream of its pieces. Releasing the body ends the request.
struct PrefetchedBody: AsyncSequence, Sendable {
    private let reader: Reader

    init(_ store: PrefetchStore, _ number: PrefetchStore.Number) {
        reader = Reader(store, number)
    }

    func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: Reader

        mutating func next() async throws -> Data? { try await reader.next() }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            try await reader.next()
        }
    }

    /// A reader that ends the response when it is released, even if nothing was read.
    fileprivate final class Reader: Sendable {
        private let store: PrefetchStore
        private let number: PrefetchStore.Number

        init(_ store: PrefetchStore, _ number: PrefetchStore.Number) {
            self.store = store
            self.number = number
        }

        deinit {
            store.change { [number] state, _ in state.endReading(number) }
        }

        func next() async throws -> Data? {
            let step: PrefetchState.Step
            do {
                step = try await store.wait(for: number) { state, _ in state.nextStep(number) }
            } catch {
                store.change { state, _ in state.endReading(number) }
                throw error
            }
            switch step {
            case .piece(let piece): return piece
            case .end: return nil
            case .failed(let error): throw error
            }
        }
    }
}

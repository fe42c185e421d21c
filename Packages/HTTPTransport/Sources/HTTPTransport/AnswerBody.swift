// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// The bytes of an answer. The last byte gives up the place at the host; who drops the body, read or unread, gives up
/// the request.
struct AnswerBody: AsyncSequence, Sendable {
    let lease: Lease

    /// - Parameter kept: what has to stay for as long as the answer may still be read.
    init(_ exchange: any Exchanging, _ pass: HostQueue.Pass, keeping kept: any Sendable) {
        lease = Lease(exchange: exchange, pass: pass, kept: kept)
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(lease: lease)
    }

    struct Iterator: AsyncIteratorProtocol {
        let lease: Lease

        func next() async throws -> Data? {
            do {
                if let data = try await lease.exchange.next() { return data }
                lease.pass.leave()
                return nil
            } catch {
                lease.pass.leave()
                throw error
            }
        }
    }

    /// Held by the body and its iterator.
    final class Lease: Sendable {
        fileprivate let exchange: any Exchanging
        fileprivate let pass: HostQueue.Pass
        private let kept: any Sendable

        fileprivate init(exchange: any Exchanging, pass: HostQueue.Pass, kept: any Sendable) {
            self.exchange = exchange
            self.pass = pass
            self.kept = kept
        }

        deinit {
            exchange.giveUp()
        }
    }
}

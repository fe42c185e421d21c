// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The bytes of an answer. The last byte gives up the place at the host; who drops the body, read or unread, gives up
/// the request.
struct ExchangeBody: AsyncSequence, Sendable {
    let lease: Lease

    init(_ exchange: Exchange, _ pass: HostQueue.Pass) {
        lease = Lease(exchange: exchange, pass: pass)
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
        fileprivate let exchange: Exchange
        fileprivate let pass: HostQueue.Pass

        fileprivate init(exchange: Exchange, pass: HostQueue.Pass) {
            self.exchange = exchange
            self.pass = pass
        }

        deinit {
            exchange.giveUp()
        }
    }
}

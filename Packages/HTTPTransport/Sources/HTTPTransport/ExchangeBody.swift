// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation

/// The body of a response.
///
/// The end of the body, or an error, releases the request's pass of the ``HostQueue``. Releasing the body, read or
/// unread, cancels the request.
package struct ExchangeBody: AsyncSequence, Sendable {
    let lease: Lease

    /// - Parameter retained: An object that the body retains while it can be read.
    package init(_ exchange: any Exchanging, _ pass: HostQueue.Pass, keeping retained: any Sendable) {
        lease = Lease(exchange: exchange, pass: pass, retained: retained)
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(lease: lease)
    }

    package struct Iterator: AsyncIteratorProtocol {
        let lease: Lease

        package func next() async throws -> Data? {
            do {
                if let data = try await lease.exchange.next() { return data }
                lease.pass.release()
                return nil
            } catch {
                lease.pass.release()
                throw error
            }
        }
    }

    /// The owner of the exchange, shared by the body and its iterators. Its deinitialization cancels the request.
    final class Lease: Sendable {
        fileprivate let exchange: any Exchanging
        fileprivate let pass: HostQueue.Pass
        private let retained: any Sendable

        fileprivate init(exchange: any Exchanging, pass: HostQueue.Pass, retained: any Sendable) {
            self.exchange = exchange
            self.pass = pass
            self.retained = retained
        }

        deinit {
            exchange.cancel()
        }
    }
}

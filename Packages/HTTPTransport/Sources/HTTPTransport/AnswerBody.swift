// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The bytes of an answer. The last byte gives up the place at the host; who drops the body, read or unread, gives up
/// the request.
struct AnswerBody: AsyncSequence, Sendable {
    let lease: Lease

    /// - Parameter upload: what has to stay for as long as the request's body may still be read.
    init(_ exchange: any Exchanging, _ pass: HostQueue.Pass, keeping upload: (any Sendable)? = nil) {
        lease = Lease(exchange: exchange, pass: pass, upload: upload)
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
        private let upload: (any Sendable)?

        fileprivate init(exchange: any Exchanging, pass: HostQueue.Pass, upload: (any Sendable)?) {
            self.exchange = exchange
            self.pass = pass
            self.upload = upload
        }

        deinit {
            exchange.giveUp()
        }
    }
}

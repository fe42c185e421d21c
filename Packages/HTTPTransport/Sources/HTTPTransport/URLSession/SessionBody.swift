// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

/// The bytes of an answer. The last byte gives up the place at the host; who drops the body, read or unread, gives up
/// the request.
struct SessionBody: AsyncSequence, Sendable {
    let lease: Lease

    init(_ exchange: SessionExchange, _ pass: HostQueue.Pass, _ upload: SessionUpload) {
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

    /// Held by the body and its iterator. The file of an upload may still be read when the answer begins.
    final class Lease: Sendable {
        fileprivate let exchange: SessionExchange
        fileprivate let pass: HostQueue.Pass
        private let upload: SessionUpload

        fileprivate init(exchange: SessionExchange, pass: HostQueue.Pass, upload: SessionUpload) {
            self.exchange = exchange
            self.pass = pass
            self.upload = upload
        }

        deinit {
            exchange.giveUp()
        }
    }
}

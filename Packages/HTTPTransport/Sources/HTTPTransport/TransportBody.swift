// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The bytes of an answer: errors get a type of this house, and the last byte gives up the place at the host.
struct TransportBody<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == Data {
    let base: Base
    let url: String
    let pass: HostQueue.Pass

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), url: url, pass: pass)
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let url: String
        let pass: HostQueue.Pass

        mutating func next() async throws -> Data? {
            try await next(isolation: nil)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            do {
                if let data = try await base.next(isolation: actor) { return data }
                pass.leave()
                return nil
            } catch {
                pass.leave()
                throw ResourceError(transport: error, at: url)
            }
        }
    }
}

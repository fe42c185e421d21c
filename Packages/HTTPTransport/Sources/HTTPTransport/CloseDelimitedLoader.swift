// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
public import ResourceLoading

/// A loader that treats the end of a connection as the normal end of a response without a length, as engines do, also
/// if TLS ended without close_notify, or if the connection ended within the response head.
///
/// A transport reports these ends as errors, so that caches, packages, manifests, tables and remote config never accept
/// a truncated response. This loader belongs above the HTTP cache, for responses to a page.
///
/// Isolation: that of the base loader.
@_spi(Facade) public struct CloseDelimitedLoader: ResourceLoader {
    private let base: any ResourceLoader

    /// Creates a loader that passes requests to `base` unchanged.
    public init(_ base: any ResourceLoader) {
        self.base = base
    }

    public nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard var response = try await base.load(request) else { return nil }
        if case .stream(let stream) = response.body, stream.length == nil {
            response.body = .stream(ByteStream(Body(base: stream)))
        }
        return response
    }

    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        base.immediateResponse(to: request)
    }

    private struct Body: AsyncSequence, Sendable {
        let base: ByteStream

        func makeAsyncIterator() -> Iterator {
            Iterator(base: base.makeAsyncIterator())
        }

        struct Iterator: AsyncIteratorProtocol {
            var base: ByteStream.Iterator

            mutating func next() async throws -> Data? {
                try await next(isolation: nil)
            }

            mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
                do {
                    return try await base.next(isolation: actor)
                } catch let error as ResourceError where error.isUnconfirmedResponseEnd {
                    return nil
                }
            }
        }
    }
}

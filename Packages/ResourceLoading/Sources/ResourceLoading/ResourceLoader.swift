// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes

/// Answers requests. The one protocol that everything between the engine and the network speaks.
///
/// Loaders are asked in order and the first that returns a response wins, so a loader says `nil` for
/// "not mine" and throws only when the request *is* its own and cannot be answered. Cache, redirects,
/// cookies, ranges and prefetch are decorators: loaders that wrap a loader.
///
/// What lies in memory a loader may also answer at once, by ``immediateResponse(to:)``: a task, and a turn of the
/// caller's loop, cost more than such an answer.
///
/// Isolation: any, and concurrently. `load` runs where its caller does, on the main actor if need be. What blocks or
/// takes long is to be moved off by who implements it: a method without `nonisolated(nonsending)` leaves by itself.
/// Cancellation: cancelling the task that called `load`, or dropping the body's iterator, ends the
/// work upstream.
public protocol ResourceLoader: Sendable {
    /// Answers `request`, or returns `nil` when another loader should.
    ///
    /// The head of the response is returned as soon as it is known; its body may still be arriving.
    /// - Throws: ``ResourceError``, or `CancellationError` when the calling task was cancelled.
    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse?

    /// Answers `request` where that needs neither waiting nor reading, as ``load(_:)`` would now.
    ///
    /// May be asked before `load`, on the engine's thread, for a GET or HEAD of what a page shows. The request need not
    /// have yet what only servers are told: its `Referer` may be the engine's, and `mode` and `Sec-Fetch-*` may be
    /// missing unless it has an `Origin`. Who looks at those says ``ImmediateResult/later``, which is the default.
    func immediateResponse(to request: ResourceRequest) -> ImmediateResult
}

extension ResourceLoader {
    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult { .later }
}

/// What a loader can say of a request at once.
public enum ImmediateResult: Sendable {
    /// What `load` would return: the answer, or `nil` for "not mine".
    case known(ResourceResponse?)
    /// `load` has to be asked, which may wait, or fail.
    case later
}

extension ResourceLoader {
    /// Fetches a small document whole.
    /// - Parameters:
    ///   - url: the absolute URL.
    ///   - fields: the header fields of the request.
    ///   - limit: the most bytes of the document.
    /// - Throws: ``ResourceError`` for an answer other than 200, and for one that is too long; the errors of the loader.
    @concurrent
    public func document(at url: String, _ fields: HTTPFields = [:], upTo limit: Int) async throws -> Data {
        guard let head = HTTPRequest(urlText: url, headerFields: fields) else {
            throw ResourceError(.invalidRequest, "no URL", at: url)
        }
        guard let response = try await load(ResourceRequest(head)) else {
            throw ResourceError(.internal, "nobody answers", at: url)
        }
        guard response.head.status == .ok else {
            throw ResourceError(.invalidRequest, "HTTP status \(response.head.status.code)", at: url)
        }
        return try await response.body.collect(upTo: limit)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes

/// A source of responses, such as a package, a cache or the network.
///
/// Loaders are called in order, and the first response wins. A loader returns `nil` for a request that is not its own.
/// It throws only for a request of its own that cannot be served. Cache, redirects, cookies, ranges and prefetch are
/// decorators: loaders that wrap a loader.
///
/// A loader can also return a response from memory without suspension, by ``immediateResponse(to:)``. This saves a task
/// and a turn of the caller's run loop.
///
/// Isolation: any; methods may be called concurrently. `load` runs in the caller's isolation, which can be the main
/// actor. An implementation must move blocking or long work off the main actor. A method that is declared without
/// `nonisolated(nonsending)` already runs elsewhere.
///
/// Cancellation: cancelling the task that called `load`, or releasing the body's iterator, ends the upstream work.
public protocol ResourceLoader: Sendable {
    /// Returns the response to `request`, or `nil` if another loader should respond.
    ///
    /// The response is returned as soon as its head is known; its body may still be arriving.
    /// - Throws: ``ResourceError``, or `CancellationError` if the calling task was cancelled.
    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse?

    /// Returns the response that ``load(_:)`` would return now, if that needs neither waiting nor file access.
    ///
    /// May be called before `load`, on the engine's thread, for a GET or HEAD request of a page. The request may lack
    /// values that only servers need: `Referer` may have the value of the engine, and `mode` and `Sec-Fetch-*` may be
    /// missing unless the request has an `Origin`. A loader that depends on these values returns
    /// ``ImmediateResult/later``, the default.
    func immediateResponse(to request: ResourceRequest) -> ImmediateResult
}

extension ResourceLoader {
    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult { .later }
}

/// The result of a loader without suspension.
public enum ImmediateResult: Sendable {
    /// The result of `load`: a response, or `nil` for a request of another loader.
    case known(ResourceResponse?)
    /// The caller must call `load`, which may wait or fail.
    case later
}

extension ResourceLoader {
    /// Loads a small document completely.
    /// - Parameters:
    ///   - url: the absolute URL.
    ///   - fields: the header fields of the request.
    ///   - limit: the maximum size of the document in bytes.
    /// - Throws: ``ResourceError`` if the status is not 200 or the document is too long; the errors of the loader.
    @concurrent
    public func document(at url: String, _ fields: HTTPFields = [:], upTo limit: Int) async throws -> Data {
        // Without missing statuses, there always is a document.
        try await documentIfPresent(at: url, fields, upTo: limit, missing: []) ?? Data()
    }

    /// Loads a document into memory, unless the server does not have it.
    /// - Parameters:
    ///   - url: the absolute URL of the document.
    ///   - fields: the fields of the request.
    ///   - limit: the maximum number of bytes.
    ///   - missing: the statuses that mean that the server does not have the document.
    /// - Returns: `nil` for one of these statuses.
    /// - Throws: ``ResourceError``, with code `invalidRequest` for a status other than 200.
    @concurrent
    package func documentIfPresent(
        at url: String, _ fields: HTTPFields = [:], upTo limit: Int, missing: Set<HTTPResponse.Status>
    ) async throws -> Data? {
        guard let head = HTTPRequest(urlText: url, headerFields: fields) else {
            throw ResourceError(.invalidRequest, "the text is not an absolute URL", at: url)
        }
        guard let response = try await load(ResourceRequest(head)) else {
            throw ResourceError(.internal, "no loader returned a response", at: url)
        }
        guard !missing.contains(response.head.status) else { return nil }
        guard response.head.status == .ok else {
            throw ResourceError(.invalidRequest, "HTTP status \(response.head.status.code)", at: url)
        }
        return try await response.body.collect(upTo: limit)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import HTTPTypes
public import ResourceLoading

/// A loader that replaces the network. It returns the responses that a test sets, and status 404 for other requests. It
/// records all requests.
///
/// Isolation: any; all members may be called concurrently.
public final class FakeLoader: ResourceLoader {
    private struct State {
        var responses: [String: (body: ResourceBody, fields: HTTPFields)] = [:]
        var requests: [ResourceRequest] = []
    }

    private let state = Mutex(State())

    /// Creates a loader without responses.
    public init() {}

    /// The requests in the order of their arrival.
    public var requests: [ResourceRequest] { state.withLock(\.requests) }

    /// Sets the response to the requests for a URL, with the status 200.
    /// - Parameters:
    ///   - body: the body.
    ///   - url: the real URL.
    ///   - fields: the header fields.
    public func put(_ body: ResourceBody, at url: String, _ fields: HTTPFields = [:]) {
        state.withLock { $0.responses[url] = (body, fields) }
    }

    public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let response = state.withLock { state in
            state.requests.append(request)
            return state.responses[request.head.urlText]
        }
        return ResourceResponse(
            head: HTTPResponse(status: response == nil ? .notFound : .ok, headerFields: response?.fields ?? [:]),
            body: response?.body ?? .empty, provenance: Provenance(.network, reason: "a test"))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading

/// The action for a request and its reason in one line; `nil` if no action replaces or changes the response.
@_spi(Facade) public typealias RouteActionResult = (action: RouteAction, reason: String)?

extension ResourceLoader {
    /// Returns a loader that performs the actions of rules before this loader, except for the request fields of
    /// ``RouteAction/setHeaders(_:)``; see ``settingFields(by:)``.
    ///
    /// The loader loads one hop of a request. The loaders above it treat its redirects and responses as those of a
    /// server.
    /// - Parameter action: A closure that returns the action for a request.
    @_spi(Facade) public func performingActions(
        by action: @escaping @Sendable (ResourceRequest) -> RouteActionResult
    ) -> any ResourceLoader {
        RouteActionLoader(base: self, action: action)
    }

    /// Returns a loader that sets the request fields of ``RouteAction/setHeaders(_:)`` before this loader. It belongs
    /// directly above the HTTP cache: caches select responses by the fields, and CORS preflights and prefetched
    /// responses do not depend on them.
    /// - Parameter action: A closure that returns the action for a request.
    @_spi(Facade) public func settingFields(
        by action: @escaping @Sendable (ResourceRequest) -> RouteActionResult
    ) -> any ResourceLoader {
        RouteFieldLoader(base: self, action: action)
    }
}

private struct RouteActionLoader: ResourceLoader {
    let base: any ResourceLoader
    let action: @Sendable (ResourceRequest) -> RouteActionResult

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard let (action, reason) = self.action(request) else { return try await base.load(request) }
        switch action {
        case .intercept, .pass: return try await base.load(request)
        case .block(nil): throw ResourceError(.blocked, reason, at: request.head.urlText)
        case .block(let status?): return Self.response(status, [:], to: request, because: reason)
        case .redirect(let template, let status):
            let location = try template.url(for: request.head)
            return Self.response(status, [.location: location], to: request, because: reason)
        case .respond(let fixed):
            let body: ResourceBody = fixed.body.isEmpty ? .empty : .bytes(fixed.body)
            return Self.response(fixed.status, fixed.fields, body, to: request, because: reason)
        case .setHeaders(let fields):
            var response = try await base.load(request)
            response?.head.headerFields.apply(fields.response)
            response?.provenance.reason += "; \(reason)"
            return response
        }
    }

    func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        action(request) == nil ? base.immediateResponse(to: request) : .later
    }

    private static func response(
        _ status: HTTPResponse.Status, _ fields: HTTPFields, _ body: ResourceBody = .empty,
        to request: ResourceRequest, because reason: String
    ) -> ResourceResponse {
        var fields = fields
        if fields[.cacheControl] == nil { fields[.cacheControl] = "no-store" }
        // Status 204 has no body whose length could be stated (RFC 9110, section 8.6).
        if status != .noContent { fields[.contentLength] = String(body.length ?? 0) }
        return ResourceResponse(
            head: HTTPResponse(status: status, headerFields: fields),
            body: request.head.method == .head ? .empty : body, provenance: Provenance(.synthetic, reason: reason))
    }
}

private struct RouteFieldLoader: ResourceLoader {
    let base: any ResourceLoader
    let action: @Sendable (ResourceRequest) -> RouteActionResult

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        try await base.load(changed(request))
    }

    func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        base.immediateResponse(to: changed(request))
    }

    private func changed(_ request: ResourceRequest) -> ResourceRequest {
        guard case .setHeaders(let fields)? = action(request)?.action, !fields.request.isEmpty else { return request }
        var request = request
        request.head.headerFields.apply(fields.request)
        return request
    }
}

extension HTTPFields {
    fileprivate mutating func apply(_ changes: [HTTPField.Name: String?]) {
        for (name, value) in changes { self[name] = value }
    }
}

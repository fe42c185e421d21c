// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes

/// A small response that a rule contains.
public struct FixedResponse: Sendable, Hashable {
    /// The status: 200 to 299 except 206, or 400 to 599.
    public let status: HTTPResponse.Status
    /// The header fields. `Content-Length` is added to them.
    public let fields: HTTPFields
    /// The body; empty for the statuses 204 and 205.
    public let body: Data

    /// Creates a response.
    /// - Parameters:
    ///   - status: the status; see ``status``.
    ///   - fields: the header fields. A response with a body needs `Content-Type`, because engines would guess the
    ///     type.
    ///   - body: the body. ``RouteLimits`` limits its size.
    /// - Throws: ``RouteError`` with code `badRule`, whose location is `status`, `fields` or `body`.
    public init(status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], body: Data = Data()) throws {
        guard (200...299).contains(status.code) && status != .partialContent || (400...599).contains(status.code) else {
            throw RouteError(.badRule, "not a status of a whole response: \(status.code)", at: "status")
        }
        for field in fields {
            try RouteFields.checkResponse(field.name, field.value, at: "fields")
        }
        if !body.isEmpty {
            guard ![204, 205].contains(status.code) else {
                throw RouteError(.badRule, "a response of status \(status.code) has no body", at: "body")
            }
            guard fields.contains(.contentType) else {
                throw RouteError(.badRule, "a body needs Content-Type", at: "fields")
            }
        }
        self.status = status
        self.fields = fields
        self.body = body
    }
}

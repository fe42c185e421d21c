// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

/// The action for a request.
///
/// All actions except ``pass`` intercept the request. A rule with an invalid status is refused when its rule set is
/// created. The responses of ``block(_:)``, ``redirect(_:_:)`` and ``respond(_:)`` have `Cache-Control: no-store`,
/// unless the action sets another value, so that a change of the rules takes effect at once.
public enum RouteAction: Sendable, Hashable {
    /// The container responds to the request.
    case intercept
    /// The container does not handle the request.
    case pass
    /// The container refuses the request with a status from 400 to 599 and no body, or with a network error if the
    /// status is `nil`.
    case block(HTTPResponse.Status?)
    /// The container redirects the request. The status is 301, 302, 303, 307 or 308.
    case redirect(RouteTemplate, HTTPResponse.Status)
    /// The container responds with a fixed response.
    case respond(FixedResponse)
    /// The container responds to the request, and changes header fields of the request and of the response.
    case setHeaders(RouteFields)

    /// The name of the action in JSON and in logs.
    public var name: String {
        switch self {
        case .intercept: "intercept"
        case .pass: "pass"
        case .block: "block"
        case .redirect: "redirect"
        case .respond: "respond"
        case .setHeaders: "setHeaders"
        }
    }

    /// A Boolean value that indicates whether the container responds to the request.
    @_spi(Facade) public var intercepts: Bool { self != .pass }

    /// A Boolean value that indicates whether the action determines the response without a content source.
    @_spi(Facade) public var isResponse: Bool {
        switch self {
        case .intercept, .pass, .setHeaders: false
        case .block, .redirect, .respond: true
        }
    }

    /// A Boolean value that indicates whether the action replaces or changes the response.
    var changesResponse: Bool {
        switch self {
        case .intercept, .pass: false
        case .block, .redirect, .respond, .setHeaders: true
        }
    }
}

extension RouteAction {
    /// Checks the limits and the status of an action.
    /// - Throws: ``RouteError`` whose location is the member of the rule.
    func check(_ limits: RouteLimits) throws {
        switch self {
        case .intercept, .pass: break
        case .block(let status):
            guard let status, !(400...599).contains(status.code) else { return }
            throw RouteError(.badRule, "the status of a block is 400 to 599, not \(status.code)", at: "status")
        case .redirect(let template, let status):
            guard [301, 302, 303, 307, 308].contains(status.code) else {
                throw RouteError(.badRule, "not a status of a redirect: \(status.code)", at: "status")
            }
            guard template.description.utf8.count <= limits.maxValueLength else {
                throw RouteError(.limit, "longer than \(limits.maxValueLength) bytes", at: "to")
            }
        case .respond(let response):
            try Self.check(response.fields.map { ($0.name, $0.value) }, limits, at: "fields")
            guard response.body.count <= limits.maxBodyBytes else {
                throw RouteError(
                    .limit, "a body of \(response.body.count) bytes, limit \(limits.maxBodyBytes)", at: "body")
            }
        case .setHeaders(let fields):
            try Self.check(fields.request.map { ($0.key, $0.value ?? "") }, limits, at: "request")
            try Self.check(fields.response.map { ($0.key, $0.value ?? "") }, limits, at: "response")
        }
    }

    private static func check(
        _ fields: [(name: HTTPField.Name, value: String)], _ limits: RouteLimits, at place: String
    ) throws {
        guard fields.count <= limits.maxFields else {
            throw RouteError(.limit, "\(fields.count) fields, limit \(limits.maxFields)", at: place)
        }
        for field in fields {
            for text in [field.name.rawName, field.value] where text.utf8.count > limits.maxValueLength {
                throw RouteError(
                    .limit, "longer than \(limits.maxValueLength) bytes", at: "\(place).\(field.name.rawName)")
            }
        }
    }

    /// The number of bytes in the body of a fixed response.
    var bodyBytes: Int {
        guard case .respond(let response) = self else { return 0 }
        return response.body.count
    }
}

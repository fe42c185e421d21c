// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import WebSyntax

/// The header fields that a rule sets or removes. `nil` removes a field.
///
/// Request fields are set on the requests that the container sends to the network, after CORS and prefetch have used
/// the fields of the page. They do not apply to content of packages. Response fields are set on all responses to the
/// request, and are not stored in the HTTP cache.
public struct RouteFields: Sendable, Hashable {
    /// The changes of the request, by name.
    public let request: [HTTPField.Name: String?]
    /// The changes of the response, by name.
    public let response: [HTTPField.Name: String?]

    /// Creates changes.
    /// - Parameters:
    ///   - request: the changes of the request. The fields that scripts cannot set (Fetch, forbidden request-header),
    ///     `Range`, and fields that begin with `If-` or `Content-` are forbidden.
    ///   - response: the changes of the response. Fields of one connection, of the body's framing, of cookies, of the
    ///     whole host and of redirects are forbidden; `docs/route-rules.md` lists them.
    /// - Throws: ``RouteError`` with code `badRule`, whose location is `request` or `response` and the name.
    public init(request: [HTTPField.Name: String?] = [:], response: [HTTPField.Name: String?] = [:]) throws {
        for (name, value) in request {
            try Self.checkRequest(name, value ?? "", at: "request")
        }
        for (name, value) in response {
            try Self.checkResponse(name, value ?? "", at: "response")
        }
        self.request = request
        self.response = response
    }

    /// Response fields that the container or the engine derives, or that apply beyond one response. The container
    /// handles `Location` by the action `redirect`.
    private static let forbiddenInResponses = ConnectionFields.names.union([
        "accept-ranges", "alt-svc", "clear-site-data", "content-encoding", "content-length", "content-range",
        "location", "refresh", "set-cookie", "set-cookie2", "strict-transport-security", "trailer",
    ])

    private static func checkRequest(_ name: HTTPField.Name, _ value: String, at place: String) throws {
        let text = name.canonicalName
        let isForbidden =
            ForbiddenRequestFields.contains(text, value: value) || text == "range"
            || ["if-", "content-"].contains(where: text.hasPrefix)
        try check(name, value, isForbidden: isForbidden, at: place)
    }

    static func checkResponse(_ name: HTTPField.Name, _ value: String, at place: String) throws {
        try check(name, value, isForbidden: forbiddenInResponses.contains(name.canonicalName), at: place)
    }

    private static func check(
        _ name: HTTPField.Name, _ value: String, isForbidden: Bool, at place: String
    ) throws {
        let location = "\(place).\(name.rawName)"
        // Pseudo fields have names that begin with a colon.
        guard !isForbidden, !name.rawName.hasPrefix(":") else {
            throw RouteError(.badRule, "a rule cannot set the field \(name.rawName)", at: location)
        }
        guard HTTPField.isValidValue(value) else {
            throw RouteError(.badRule, "not a field value", at: location)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import StrictJSON

// The members of a rule that belong to one action.
extension RouteDocument.Fields {
    /// The names of all members that belong to actions.
    static let actionMembers: Set = ["status", "to", "fields", "body", "bodyBase64", "request", "response"]

    /// Reads the action of a rule.
    /// - Throws: ``RouteError``, also for a member of another action.
    func action(_ limits: RouteLimits) throws -> RouteAction {
        guard let name = try text("action", limits, { $0 }) else {
            throw RouteError(.badDocument, "action is missing", at: container.codingPath.jsonPlace)
        }
        switch name {
        case "intercept":
            try allow([], with: name)
            return .intercept
        case "pass":
            try allow([], with: name)
            return .pass
        case "block":
            try allow(["status"], with: name)
            return .block(try status())
        case "redirect":
            try allow(["to", "status"], with: name)
            guard let to = try text("to", limits, length: limits.maxValueLength, { try RouteTemplate($0) }) else {
                throw RouteError(.badDocument, "to is missing", at: container.codingPath.jsonPlace)
            }
            return .redirect(to, try status() ?? .temporaryRedirect)
        case "respond":
            try allow(["status", "fields", "body", "bodyBase64"], with: name)
            return .respond(try response(limits))
        case "setHeaders":
            try allow(["request", "response"], with: name)
            let (request, response) = (try changes("request", limits), try changes("response", limits))
            guard !request.isEmpty || !response.isEmpty else {
                throw RouteError(.badDocument, "no fields to set", at: container.codingPath.jsonPlace)
            }
            return .setHeaders(try here { try RouteFields(request: request, response: response) })
        default: throw RouteError(.badRule, "invalid value: '\(name)'", at: place(of: "action"))
        }
    }

    private func allow(_ members: Set<String>, with action: String) throws {
        for name in Self.actionMembers.subtracting(members).sorted() where has(name) {
            throw RouteError(.badDocument, "not a member of the action \(action)", at: place(of: name))
        }
    }

    private func status() throws -> HTTPResponse.Status? {
        guard let code = try decode(Int.self, "status") else { return nil }
        // HTTPTypes traps for a status that has not three digits.
        guard (100...999).contains(code) else {
            throw RouteError(.badRule, "not a status: \(code)", at: place(of: "status"))
        }
        return HTTPResponse.Status(code: code)
    }

    private func response(_ limits: RouteLimits) throws -> FixedResponse {
        var fields = HTTPFields()
        for (name, value) in try changes("fields", limits) {
            guard let value else {
                throw RouteError(
                    .badRule, "a field of a response is text", at: "\(place(of: "fields")).\(name.rawName)")
            }
            fields[name] = value
        }
        guard !has("body") || !has("bodyBase64") else {
            throw RouteError(.badRule, "both a body and bodyBase64", at: container.codingPath.jsonPlace)
        }
        var body = Data(try decode(String.self, "body")?.utf8 ?? "".utf8)
        if let text = try decode(String.self, "bodyBase64") {
            guard let bytes = Data(base64Encoded: text) else {
                throw RouteError(.badRule, "not Base64", at: place(of: "bodyBase64"))
            }
            body = bytes
        }
        let status = try status() ?? .ok
        return try here { try FixedResponse(status: status, fields: fields, body: body) }
    }

    /// Reads an object of field names and values; `null` removes a field.
    private func changes(_ name: String, _ limits: RouteLimits) throws -> [HTTPField.Name: String?] {
        let key = RouteDocument.Name(stringValue: name)
        guard container.contains(key) else { return [:] }
        let members = try container.nestedContainer(keyedBy: RouteDocument.Name.self, forKey: key)
        let place = place(of: name)
        guard members.allKeys.count <= limits.maxFields else {
            throw RouteError(.limit, "\(members.allKeys.count) fields, limit \(limits.maxFields)", at: place)
        }
        var changes: [HTTPField.Name: String?] = [:]
        for key in members.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
            let text = key.stringValue
            guard text.utf8.count <= limits.maxTextLength, let name = HTTPField.Name(text) else {
                throw RouteError(.badRule, "not a field name: '\(text)'", at: place)
            }
            let value = try members.decodeNil(forKey: key) ? nil : members.decode(String.self, forKey: key)
            // Names of fields are case-insensitive (RFC 9110, section 5.1).
            guard changes.updateValue(value, forKey: name) == nil else {
                throw RouteError(.badDocument, "a field that comes twice: \(text)", at: place)
            }
        }
        return changes
    }

    /// Reports the errors of `read` for a member of this rule.
    private func here<Value>(_ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch let error as RouteError {
            throw container.codingPath.jsonPlace.map(error.at) ?? error
        }
    }
}

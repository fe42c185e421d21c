// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import StrictJSON

extension RouteRules {
    /// Reads rules from JSON; `docs/route-rules.md` has the format. All of it is checked before there is a value: one
    /// fault anywhere, and none of it applies.
    /// - Throws: ``RouteError``, which names the rule and the field.
    public init(json: Data, limits: RouteLimits = RouteLimits()) throws {
        guard json.count <= limits.maxBytes else {
            throw RouteError(.limit, "\(json.count) bytes, limit \(limits.maxBytes)")
        }
        // Foundation would read other encodings too; JSON between systems is UTF-8 (RFC 8259, section 8.1).
        guard !json.contains(0) else { throw RouteError(.badDocument, "not UTF-8") }
        let document: RouteDocument
        do {
            let decoder = JSONDecoder()
            if let key = RouteDocument.limitsKey { decoder.userInfo[key] = limits }
            document = try decoder.decode(RouteDocument.self, from: json)
        } catch let error as RouteError {
            throw error
        } catch let error as DecodingError {
            throw RouteError(.badDocument, error.jsonFault.reason, at: error.jsonFault.place, cause: error)
        } catch {
            throw RouteError(.badDocument, "not JSON", cause: error)
        }
        // Decoders take one of two members of the same name, and readers differ in which.
        var names = JSONScanner.Limits()
        names.allowsEscapedNames = false
        do {
            try json.withUnsafeBytes { try JSONScanner.validate($0, limits: names) }
        } catch let error as JSONError {
            throw RouteError(.badDocument, error.code == .malformed ? "not JSON" : error.message, cause: error)
        }
        try self.init(document.rules, deny: document.deny, isEnabled: document.isEnabled, limits: limits)
    }
}

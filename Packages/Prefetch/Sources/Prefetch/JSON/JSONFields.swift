// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes

/// The members of a JSON object, with the location of the object.
struct JSONFields {
    private let members: [JSONValue.Member]
    private let location: String?

    init(_ value: JSONValue, at location: String?) throws(PrefetchError) {
        guard case .object(let members) = value else { throw PrefetchError(.badTable, "not an object", at: location) }
        self.members = members
        self.location = location
    }

    /// The value of a name; `nil` if the member is missing or `null`.
    subscript(name: String) -> JSONValue? {
        guard let value = members.first(where: { $0.name.utf8.elementsEqual(name.utf8) })?.value else { return nil }
        if case .null = value { return nil }
        return value
    }

    func place(_ name: String) -> String { location.map { "\($0).\(name)" } ?? name }

    func fault(_ message: String, in name: String) -> PrefetchError {
        PrefetchError(.badTable, message, at: place(name))
    }

    func object(_ name: String) throws(PrefetchError) -> JSONFields {
        guard let value = self[name] else { throw fault("missing", in: name) }
        return try JSONFields(value, at: place(name))
    }

    func list(_ name: String) throws(PrefetchError) -> [JSONValue] {
        guard case .array(let values)? = self[name] else { throw fault("not an array", in: name) }
        return values
    }

    func text(_ name: String, _ limit: Int) throws(PrefetchError) -> String? {
        guard let value = self[name] else { return nil }
        guard case .string(let text) = value else { throw fault("not a string", in: name) }
        guard text.utf8.count <= limit else {
            throw PrefetchError(.limit, "\(text.utf8.count) bytes, limit \(limit)", at: place(name))
        }
        return text
    }

    func flag(_ name: String) throws(PrefetchError) -> Bool {
        guard let value = self[name] else { return false }
        guard case .bool(let flag) = value else { throw fault("not a Boolean", in: name) }
        return flag
    }

    func url(_ name: String, _ limits: PrefetchLimits) throws(PrefetchError) -> PrefetchURL {
        guard let text = try text(name, limits.maxURLLength) else { throw fault("missing", in: name) }
        guard let url = PrefetchURL(text) else { throw fault("not an absolute http or https URL", in: name) }
        return url
    }

    /// Returns the version as text. Some servers write it as an integer instead of a string.
    func version(_ limits: PrefetchLimits) throws(PrefetchError) -> String {
        if case .number(let number)? = self["version"], JSONNumber.isCanonicalInteger(number),
            number.utf8.count <= limits.maxTextLength
        {
            return number
        }
        guard let version = try text("version", limits.maxTextLength) else { throw fault("missing", in: "version") }
        return version
    }

    /// Returns the method in upper case; `GET` if it is missing.
    func method(_ limits: PrefetchLimits) throws(PrefetchError) -> HTTPRequest.Method {
        let name = try text("method", limits.maxTextLength) ?? "GET"
        // Characters beyond ASCII are not allowed in a token (RFC 9110, section 5.6.2).
        guard let method = HTTPRequest.Method(name.uppercased()), name.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw fault("invalid method: \(name)", in: "method")
        }
        return method
    }
}

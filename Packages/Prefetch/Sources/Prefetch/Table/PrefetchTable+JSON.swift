// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension PrefetchTable {
    /// Reads a server's answer. All of it is checked before there is a value: one fault anywhere, and none of it applies.
    ///
    /// Members that are not known are ignored; `null` is the same as none.
    /// - Throws: ``PrefetchError``, which names the member.
    public init(json: Data, limits: PrefetchLimits = .default) throws(PrefetchError) {
        guard json.count <= limits.maxBytes else {
            throw PrefetchError(.limit, "\(json.count) bytes, limit \(limits.maxBytes)")
        }
        let root = try Fields(JSONReader.read(Array(json), maxDepth: limits.maxDepth), at: nil)
        guard case .number(let code)? = root["code"] else { throw root.fault("no number", in: "code") }
        guard JSONNumber.canonical(code) == "2e2" else {
            throw PrefetchError(.serverCode, "the server answers with code \(code.prefix(20)), not 200", at: "code")
        }
        let data = try root.object("data")
        let version = try data.version(limits)
        var pages: [String: [PrefetchInterface]] = [:]
        let entries = try data.list("config")
        guard entries.count <= limits.maxPages else {
            throw PrefetchError(.limit, "\(entries.count) pages, limit \(limits.maxPages)", at: "data.config")
        }
        for (index, entry) in entries.enumerated() {
            let entry = try Fields(entry, at: "data.config[\(index)]")
            let page = try entry.url("url", limits).page
            var interfaces = pages[page] ?? []
            for (index, interface) in try entry.list("interfaces").enumerated() {
                interfaces.append(
                    try PrefetchInterface(Fields(interface, at: entry.place("interfaces[\(index)]")), limits))
                guard interfaces.count <= limits.maxInterfaces else {
                    throw PrefetchError(
                        .limit, "more than \(limits.maxInterfaces) interfaces of one page",
                        at: entry.place("interfaces"))
                }
            }
            pages[page] = interfaces
        }
        self.init(version: version, pages: pages, limits: limits)
    }
}

extension PrefetchInterface {
    fileprivate init(_ fields: Fields, _ limits: PrefetchLimits) throws(PrefetchError) {
        api = try fields.url("api", limits)
        let name = try fields.text("method", limits.maxTextLength) ?? "GET"
        // Other letters than those of ASCII are no token (RFC 9110, section 5.6.2).
        guard let method = HTTPRequest.Method(name.uppercased()), name.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw fields.fault("no method: \(name)", in: "method")
        }
        self.method = method
        hasURLParameters = try fields.flag("urlParam")
        hasBodyParameters = try fields.flag("bodyParam")
        body = fields["body"]
        if let body, body.text.count > limits.maxBodyBytes {
            throw PrefetchError(.limit, "a body beyond \(limits.maxBodyBytes) bytes", at: fields.place("body"))
        }
        if hasBodyParameters, let body {
            guard case .object = body else {
                throw fields.fault("no object, and parameters are to join it", in: "body")
            }
        }
    }
}

/// The members of an object, and where it stands.
private struct Fields {
    private let members: [JSONValue.Member]
    private let location: String?

    init(_ value: JSONValue, at location: String?) throws(PrefetchError) {
        guard case .object(let members) = value else { throw PrefetchError(.badTable, "no object", at: location) }
        self.members = members
        self.location = location
    }

    /// The value of a name; `nil` where it is left out, or `null`.
    subscript(name: String) -> JSONValue? {
        guard let value = members.first(where: { $0.name.utf8.elementsEqual(name.utf8) })?.value else { return nil }
        if case .null = value { return nil }
        return value
    }

    func place(_ name: String) -> String { location.map { "\($0).\(name)" } ?? name }

    func fault(_ message: String, in name: String) -> PrefetchError {
        PrefetchError(.badTable, message, at: place(name))
    }

    func object(_ name: String) throws(PrefetchError) -> Fields {
        guard let value = self[name] else { throw fault("missing", in: name) }
        return try Fields(value, at: place(name))
    }

    func list(_ name: String) throws(PrefetchError) -> [JSONValue] {
        guard case .array(let values)? = self[name] else { throw fault("no array", in: name) }
        return values
    }

    func text(_ name: String, _ limit: Int) throws(PrefetchError) -> String? {
        guard let value = self[name] else { return nil }
        guard case .string(let text) = value else { throw fault("no text", in: name) }
        guard text.utf8.count <= limit else {
            throw PrefetchError(.limit, "\(text.utf8.count) bytes, limit \(limit)", at: place(name))
        }
        return text
    }

    func flag(_ name: String) throws(PrefetchError) -> Bool {
        guard let value = self[name] else { return false }
        guard case .bool(let flag) = value else { throw fault("neither true nor false", in: name) }
        return flag
    }

    func url(_ name: String, _ limits: PrefetchLimits) throws(PrefetchError) -> PrefetchURL {
        guard let text = try text(name, limits.maxURLLength) else { throw fault("missing", in: name) }
        guard let url = PrefetchURL(text) else { throw fault("no absolute URL of http or https", in: name) }
        return url
    }

    /// A version is a text; some servers write an integer.
    func version(_ limits: PrefetchLimits) throws(PrefetchError) -> String {
        if case .number(let number)? = self["version"], JSONNumber.isCanonicalInteger(number),
            number.utf8.count <= limits.maxTextLength
        {
            return number
        }
        guard let version = try text("version", limits.maxTextLength) else { throw fault("missing", in: "version") }
        return version
    }
}

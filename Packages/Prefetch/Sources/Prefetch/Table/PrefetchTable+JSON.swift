// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

extension PrefetchTable {
    /// Creates a table from a server's response. The response is fully validated; one fault rejects the complete table.
    ///
    /// Unknown members are ignored; `null` counts as missing.
    /// - Throws: ``PrefetchError``, which names the member.
    public init(json: Data, limits: PrefetchLimits = .default) throws(PrefetchError) {
        guard json.count <= limits.maxBytes else {
            throw PrefetchError(.limit, "\(json.count) bytes, limit \(limits.maxBytes)")
        }
        let root = try JSONFields(JSONValue(json: json, maxDepth: limits.maxDepth), at: nil)
        guard case .number(let code)? = root["code"] else { throw root.fault("not a number", in: "code") }
        guard JSONNumber.canonical(code) == "2e2" else {
            throw PrefetchError(.serverCode, "the response has code \(code.prefix(20)), not 200", at: "code")
        }
        let data = try root.object("data")
        let version = try data.version(limits)
        var pages: [String: [PrefetchInterface]] = [:]
        let entries = try data.list("config")
        guard entries.count <= limits.maxPages else {
            throw PrefetchError(.limit, "\(entries.count) pages, limit \(limits.maxPages)", at: "data.config")
        }
        for (index, entry) in entries.enumerated() {
            let entry = try JSONFields(entry, at: "data.config[\(index)]")
            let page = try entry.url("url", limits).page
            var interfaces = pages[page] ?? []
            for (index, interface) in try entry.list("interfaces").enumerated() {
                interfaces.append(
                    try PrefetchInterface(JSONFields(interface, at: entry.place("interfaces[\(index)]")), limits))
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
    fileprivate init(_ fields: JSONFields, _ limits: PrefetchLimits) throws(PrefetchError) {
        api = try fields.url("api", limits)
        method = try fields.method(limits)
        hasURLParameters = try fields.flag("urlParam")
        hasBodyParameters = try fields.flag("bodyParam")
        body = fields["body"]
        if let body, body.text.count > limits.maxBodyBytes {
            throw PrefetchError(.limit, "body over \(limits.maxBodyBytes) bytes", at: fields.place("body"))
        }
        if hasBodyParameters, let body {
            guard case .object = body else {
                throw fields.fault("not an object, but bodyParam is true", in: "body")
            }
        }
    }
}

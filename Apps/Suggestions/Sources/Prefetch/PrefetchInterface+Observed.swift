// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import Prefetch

/// The reason that a request cannot be part of a table, as one line.
struct SuggestionFault: Error {
    let reason: String
}

extension PrefetchInterface {
    /// Creates the interface that produces the observed request for a page with these parameters.
    /// - Parameters:
    ///   - method: The method in upper case.
    ///   - body: The JSON body, or `nil` without a body.
    init(
        _ method: HTTPRequest.Method, _ url: PrefetchURL, body: JSONValue?, on parameters: PageParameters
    ) throws(SuggestionFault) {
        var api = url
        let query = parameters.lead(of: url.query)
        if let query { api.query = query.query }
        var members: [JSONValue.Member]?
        if case .object(let all)? = body { members = parameters.lead(of: all) }
        self.init(
            api: api, method: method, hasURLParameters: query != nil, hasBodyParameters: members != nil,
            body: members.map { $0.isEmpty ? nil : .object($0) } ?? body)
        if let name = parameters.stray(in: fixedPart, path: api.path) {
            throw SuggestionFault(reason: "the page's parameter \(name) is at a position that a table cannot express")
        }
        let expected = RequestIdentity(
            method: method.rawValue, url: url.text, body: body.map { .json($0.canonical) } ?? .none, isDocument: false)
        guard request(with: parameters).identity == expected else {
            throw SuggestionFault(reason: "a table cannot express this request")
        }
    }

    /// The part of the request that comes from the table, not from the page's parameters.
    var fixedPart: FixedPart { FixedPart(query: api.query, body: body) }

    /// The interface as a row of the table. False and absent members are omitted.
    var json: JSONValue {
        var members = [
            JSONValue.Member(name: "api", value: .string(api.text)),
            JSONValue.Member(name: "method", value: .string(method.rawValue)),
        ]
        if hasURLParameters { members.append(.init(name: "urlParam", value: .bool(true))) }
        if hasBodyParameters { members.append(.init(name: "bodyParam", value: .bool(true))) }
        if let body { members.append(.init(name: "body", value: body)) }
        return .object(members)
    }
}

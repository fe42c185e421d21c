// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
internal import HTTPTypes
package import Prefetch

/// A table for one page, made of what the page was seen to ask for, and what was left out of it, each with its reason.
///
/// A pure function of what was seen. A request is taken where a script asked for data by it, the table can say it for
/// every parameter of the page, and making it ahead does no harm: `docs/suggested-tables.md` has the rules. In doubt it
/// is left out: what is missing costs time, what is too much costs the server a request and may do worse.
package struct PrefetchSuggestion: Sendable {
    /// A request for data that the table does not name.
    package struct LeftOut: Sendable, Hashable {
        /// As it was sent.
        package let method: String
        /// Without user, query and fragment, which may hold secrets; what looks like one in the path is `…`.
        package let url: String
        /// One line for people. It names parameters, and no values.
        package let reason: String
    }

    /// What was left out, in the order in which it was first seen, each once.
    package private(set) var leftOut: [LeftOut] = []
    private(set) var interfaces: [PrefetchInterface] = []
    private let page: PrefetchURL
    private let limits: PrefetchLimits
    private let rule: FixedPartRule

    /// How many requests the table names.
    package var count: Int { interfaces.count }

    /// - Parameters:
    ///   - page: the URL that was opened, with the parameters that it had.
    ///   - runs: what was seen each time that the page was opened, in the order in which it was sent. From two on, what
    ///     differs from run to run is known.
    ///   - now: the time of the runs.
    ///   - limits: the limits that the table must keep.
    /// - Throws: ``PrefetchError`` where the page's URL cannot stand in a table.
    package init(
        page: String, runs: [[ObservedRequest]], now: Date, limits: PrefetchLimits = .default
    ) throws(PrefetchError) {
        guard page.utf8.count <= limits.maxURLLength, let url = PrefetchURL(page) else {
            throw PrefetchError(.badTable, "no absolute URL of http or https", at: "url")
        }
        self.page = url
        self.limits = limits
        let runs = runs.map { $0.filter(DataRule.isData).map { ObservedCall($0) } }
        let rule = FixedPartRule(now: now, isRepeated: runs.count > 1)
        self.rule = rule
        let parameters = PageParameters(query: url.query)
        var known: [ObservedCall] = []
        for call in runs.joined() where !known.contains(where: { $0.isSame(as: call) }) {
            known.append(call)
            do throws(SuggestionFault) {
                let interface = try Self.interface(of: call, in: runs, on: parameters, limits: limits)
                if let reason = rule.fault(of: interface.fixedPart) ?? rule.fault(ofPath: interface.api.path) {
                    throw SuggestionFault(reason: reason)
                }
                guard interfaces.count < limits.maxInterfaces else {
                    throw SuggestionFault(reason: "a table names \(limits.maxInterfaces) requests of a page")
                }
                interfaces.append(interface)
            } catch {
                record(call, error.reason)
            }
        }
    }

    /// The table, as a server publishes it. It has been read back: a container takes it.
    /// - Parameter version: of the table.
    /// - Throws: ``PrefetchError`` for a version that no table can have.
    package func json(version: String) throws(PrefetchError) -> Data {
        let rows = interfaces.map { "      " + String(decoding: $0.json.text, as: UTF8.self) }
        func quoted(_ text: String) -> String { String(decoding: JSONValue.string(text).text, as: UTF8.self) }
        let list = rows.isEmpty ? "[]" : "[\n\(rows.joined(separator: ",\n"))\n    ]"
        let text = """
            { "code": 200,
              "data": { "name": "prefetchConfig", "version": \(quoted(version)), "config": [
                { "url": \(quoted(page.page)), "interfaces": \(list) } ] } }

            """
        let json = Data(text.utf8)
        let table = try PrefetchTable(json: json, limits: limits)
        guard table.requests(for: page.text).count == interfaces.count else {
            throw PrefetchError(.badTable, "the table does not make the requests that were seen")
        }
        return json
    }

    private static func interface(
        of call: ObservedCall, in runs: [[ObservedCall]], on parameters: PageParameters, limits: PrefetchLimits
    ) throws(SuggestionFault) -> PrefetchInterface {
        let same = runs.joined().filter { $0.isSame(as: call) }
        for one in same {
            if let reason = DataRule.fault(of: one.observed) { throw SuggestionFault(reason: reason) }
        }
        guard let url = call.url, url.text.utf8.count <= limits.maxURLLength else {
            throw SuggestionFault(reason: "its URL cannot stand in a table")
        }
        if call.hasBody {
            guard let body = call.body else { throw SuggestionFault(reason: "its body is no JSON") }
            guard body.text.count <= limits.maxBodyBytes else { throw SuggestionFault(reason: "its body is too large") }
        }
        for run in runs where !run.contains(where: { $0.isSame(as: call) }) {
            throw SuggestionFault(reason: reason(call, missingIn: run))
        }
        if call.method == .post, runs.count < 2 {
            throw SuggestionFault(reason: "a POST is taken where two runs made the same one")
        }
        return try PrefetchInterface(call.method, url, body: call.body, on: parameters)
    }

    /// Why a request of one run is not in another.
    private static func reason(_ call: ObservedCall, missingIn run: [ObservedCall]) -> String {
        guard let like = run.first(where: { $0.isLike(call) }) else { return "it was not made in every run" }
        let names = call.part.differences(from: like.part).filter { !$0.isEmpty }.prefix(3)
        return names.isEmpty
            ? "its body differs from run to run" : "it differs from run to run in \(names.joined(separator: ", "))"
    }

    private mutating func record(_ call: ObservedCall, _ reason: String) {
        let url = "\(call.origin)\(rule.shown(path: call.path))"
        let entry = LeftOut(method: call.method.rawValue, url: url, reason: reason)
        if !leftOut.contains(entry) { leftOut.append(entry) }
    }
}

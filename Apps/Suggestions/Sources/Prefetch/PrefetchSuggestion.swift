// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
internal import HTTPTypes
package import Prefetch

/// A suggested prefetch table for one page, with the omitted requests and their reasons.
///
/// The result depends only on the observed requests. A request is included if a script requested data, the table can
/// express it for every parameter of the page, and a prefetch is harmless; see `docs/suggested-tables.md`. Doubtful
/// requests are omitted: a missing row costs the page time, but a wrong row costs the server requests.
package struct PrefetchSuggestion: Sendable {
    /// A data request that the table does not contain.
    package struct LeftOut: Sendable, Hashable {
        /// The method as sent.
        package let method: String
        /// The URL without user, query and fragment, which may contain secrets. Path segments that look like secrets
        /// are replaced by `…`.
        package let url: String
        /// The reason as one line. It contains names of parameters but no values.
        package let reason: String
    }

    /// The omitted requests without duplicates, in the order of their first occurrence.
    package private(set) var leftOut: [LeftOut] = []
    private(set) var interfaces: [PrefetchInterface] = []
    private let page: PrefetchURL
    private let limits: PrefetchLimits
    private let rule: FixedPartRule

    /// The number of requests in the table.
    package var count: Int { interfaces.count }

    /// Creates a suggestion.
    /// - Parameters:
    ///   - page: The URL that was opened, with its parameters.
    ///   - runs: The observed requests of each opening, in the order of sending. Two or more runs show which values
    ///     vary.
    ///   - now: The time of the runs.
    ///   - limits: The limits of the table.
    /// - Throws: ``PrefetchError`` if the page's URL cannot be part of a table.
    package init(
        page: String, runs: [[ObservedRequest]], now: Date, limits: PrefetchLimits = .default
    ) throws(PrefetchError) {
        guard page.utf8.count <= limits.maxURLLength, let url = PrefetchURL(page) else {
            throw PrefetchError(.badTable, "not an absolute http or https URL", at: "url")
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
                    throw SuggestionFault(reason: "a table contains at most \(limits.maxInterfaces) requests per page")
                }
                interfaces.append(interface)
            } catch {
                record(call, error.reason)
            }
        }
    }

    /// Returns the table as a server publishes it, after parsing it to check that a container accepts it.
    /// - Parameter version: The version of the table.
    /// - Throws: ``PrefetchError`` for an invalid version.
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
            throw PrefetchError(.badTable, "the table does not produce the observed requests")
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
            throw SuggestionFault(reason: "its URL cannot be part of a table")
        }
        if call.hasBody {
            guard let body = call.body else { throw SuggestionFault(reason: "its body is not JSON") }
            guard body.text.count <= limits.maxBodyBytes else { throw SuggestionFault(reason: "its body is too large") }
        }
        for run in runs where !run.contains(where: { $0.isSame(as: call) }) {
            throw SuggestionFault(reason: reason(call, missingIn: run))
        }
        if call.method == .post, runs.count < 2 {
            throw SuggestionFault(reason: "a POST must occur equally in two runs")
        }
        return try PrefetchInterface(call.method, url, body: call.body, on: parameters)
    }

    /// Returns the reason why a request of one run is missing in another run.
    private static func reason(_ call: ObservedCall, missingIn run: [ObservedCall]) -> String {
        guard let like = run.first(where: { $0.isLike(call) }) else { return "it does not occur in every run" }
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

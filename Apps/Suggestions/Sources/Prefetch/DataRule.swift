// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import Prefetch

/// The rules that decide if a request loads data for a script, and if a prefetch may send it.
enum DataRule {
    /// Returns a Boolean value that indicates whether a script requested data: the engine reports it, or the response
    /// is JSON.
    static func isData(_ observed: ObservedRequest) -> Bool {
        let method = observed.request.method
        guard ![.head, .options, .connect, .trace].contains(method) else { return false }
        let type = observed.mediaType ?? ""
        guard let destination = observed.destination else {
            return method != .get || ObservedRequest.isJSON(type)
        }
        return destination == "empty" && (method != .get || !isFile(type))
    }

    /// Returns the reason not to prefetch the request, or `nil` if there is none.
    static func fault(of observed: ObservedRequest) -> String? {
        requestFault(of: observed) ?? answerFault(of: observed) ?? bodyFault(of: observed)
    }

    private static func requestFault(of observed: ObservedRequest) -> String? {
        let method = observed.request.method
        guard [.get, .post].contains(method) else { return "\(method.rawValue) changes something" }
        let fields = observed.request.headerFields
        let sentType = ObservedRequest.essence(of: fields[.contentType] ?? "")
        if method == .post, observed.fetchMode == "no-cors" || sentType == "text/ping" {
            return "a beacon: the page does not read its response"
        }
        let words = PathClassifier(observed.request.path ?? "")
        if words.reports { return "its path names a report, not data" }
        if method == .post, words.changes { return "its path names a change" }
        if fields[.authorization] != nil { return "it carries Authorization" }
        // A prefetched response does not match a request with header fields that the prefetch does not send.
        let own = fields.map(\.name.canonicalName).first { name in
            !known.contains(name) && !name.hasPrefix("sec-")
        }
        return own.map { "it has the additional header field \($0)" }
    }

    private static func answerFault(of observed: ObservedRequest) -> String? {
        guard let response = observed.response else { return "it received no response" }
        guard response.status == .ok else { return "it received the status \(response.status.code)" }
        let fields = response.headerFields
        if observed.mediaType == "text/event-stream" { return "its response does not end" }
        if observed.request.method == .post, !ObservedRequest.isJSON(observed.mediaType ?? "") {
            return "a POST whose response is not JSON"
        }
        if fields[.cacheControl]?.lowercased().contains("no-store") == true { return "its response is no-store" }
        if fields[.setCookie] != nil { return "its response sets cookies" }
        if fields[.vary]?.contains("*") == true { return "its response has Vary: *" }
        return nil
    }

    private static func bodyFault(of observed: ObservedRequest) -> String? {
        guard let body = observed.body else { return "its body was not completely recorded" }
        guard !body.isEmpty else { return nil }
        let type = ObservedRequest.essence(of: observed.request.headerFields[.contentType] ?? "")
        // A prefetch always sends application/json. A server may interpret the same body differently with another type.
        return type == "application/json" ? nil : "its body is not sent as application/json"
    }

    private static func isFile(_ type: String) -> Bool {
        let kinds = ["image/", "font/", "audio/", "video/"]
        return kinds.contains { type.hasPrefix($0) && type != "image/svg+xml" }
            || ["text/css", "text/javascript", "application/javascript", "application/wasm"].contains(type)
    }

    /// The header fields that do not exclude a request from prefetching. The prefetch loader does not compare them, or
    /// the prefetch has the same values as the page's request.
    private static let known = PrefetchLoader.Configuration.standardIgnoredFields.union([
        "accept-language", "authorization", "cookie", "if-modified-since", "if-none-match", "origin",
    ])
}

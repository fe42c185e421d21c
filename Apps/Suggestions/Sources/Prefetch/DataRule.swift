// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import Prefetch

/// Says of one request whether a script asked for data by it, and whether it may be made ahead of the page.
enum DataRule {
    /// Whether scripts asked for data: the engine said so, or the answer is JSON.
    static func isData(_ observed: ObservedRequest) -> Bool {
        let method = observed.request.method
        guard ![.head, .options, .connect, .trace].contains(method) else { return false }
        let type = observed.mediaType ?? ""
        guard let destination = observed.destination else {
            return method != .get || ObservedRequest.isJSON(type)
        }
        return destination == "empty" && (method != .get || !isFile(type))
    }

    /// Why it must not be made ahead; `nil` where nothing speaks against it.
    static func fault(of observed: ObservedRequest) -> String? {
        requestFault(of: observed) ?? answerFault(of: observed) ?? bodyFault(of: observed)
    }

    private static func requestFault(of observed: ObservedRequest) -> String? {
        let method = observed.request.method
        guard [.get, .post].contains(method) else { return "\(method.rawValue) changes something" }
        let fields = observed.request.headerFields
        let sentType = ObservedRequest.essence(of: fields[.contentType] ?? "")
        if method == .post, observed.fetchMode == "no-cors" || sentType == "text/ping" {
            return "a beacon: nobody reads its answer"
        }
        let words = PathClassifier(observed.request.path ?? "")
        if words.reports { return "its path says that it reports, and asks for nothing" }
        if method == .post, words.changes { return "its path says that it changes something" }
        if fields[.authorization] != nil { return "it carries Authorization" }
        // One that the prefetch does not send would keep the page's request from its answer.
        let own = fields.map(\.name.canonicalName).first { name in
            !known.contains(name) && !name.hasPrefix("sec-")
        }
        return own.map { "it carries a header field of its own, \($0)" }
    }

    private static func answerFault(of observed: ObservedRequest) -> String? {
        guard let response = observed.response else { return "it got no answer" }
        guard response.status == .ok else { return "it was answered \(response.status.code)" }
        let fields = response.headerFields
        if observed.mediaType == "text/event-stream" { return "its answer does not end" }
        if observed.request.method == .post, !ObservedRequest.isJSON(observed.mediaType ?? "") {
            return "a POST whose answer is no JSON"
        }
        if fields[.cacheControl]?.lowercased().contains("no-store") == true { return "its answer is no-store" }
        if fields[.setCookie] != nil { return "its answer sets cookies" }
        if fields[.vary]?.contains("*") == true { return "its answer is for one request alone (Vary: *)" }
        return nil
    }

    private static func bodyFault(of observed: ObservedRequest) -> String? {
        guard let body = observed.body else { return "its body was not seen whole" }
        guard !body.isEmpty else { return nil }
        let type = ObservedRequest.essence(of: observed.request.headerFields[.contentType] ?? "")
        // It would be sent as application/json, which a server may take for something else.
        return type == "application/json" ? nil : "its body is not sent as application/json"
    }

    private static func isFile(_ type: String) -> Bool {
        let kinds = ["image/", "font/", "audio/", "video/"]
        return kinds.contains { type.hasPrefix($0) && type != "image/svg+xml" }
            || ["text/css", "text/javascript", "application/javascript", "application/wasm"].contains(type)
    }

    /// What a prefetch sends as the page does, and what need not be the same.
    private static let known = PrefetchLoader.Configuration.standardIgnoredFields.union([
        "accept-language", "authorization", "cookie", "if-modified-since", "if-none-match", "origin",
    ])
}

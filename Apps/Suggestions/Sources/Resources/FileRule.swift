// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import WebSyntax

/// The rules that decide if a response is a file, and if it may be stored for all users.
struct FileRule {
    private let observed: ObservedFile
    /// The media type of the response in lower case without parameters.
    private let type: String

    init(_ observed: ObservedFile) {
        self.observed = observed
        type = MediaType.essence(of: observed.response?.headerFields[.contentType] ?? "")
    }

    /// A Boolean value that indicates whether the response is a resource of the page. JSON is a resource if it is fresh
    /// for an hour or more.
    var isFile: Bool {
        guard observed.request.method == .get else { return false }
        if isDocument { return !isAskedByScript }
        let isJSON = type == "application/json" || type.hasSuffix("+json")
        if isJSON, type != "application/manifest+json" { return lasts && query == nil }
        return Self.kinds.contains { type.hasPrefix($0) } || Self.types.contains(type)
    }

    /// The reason not to store the file, or `nil` if there is none.
    var fault: String? {
        guard let response = observed.response else { return "it received no response" }
        guard response.status == .ok else { return "it received the status \(response.status.code)" }
        let sent = observed.request.headerFields
        if sent[.authorization] != nil { return "it carries Authorization" }
        if sent[.range] != nil { return "it requests a range" }
        for word in ["no-store", "private"] where cacheControl.contains(where: { $0.hasPrefix(word) }) {
            return "its response is \(word)"
        }
        if response.headerFields[.setCookie] != nil { return "its response sets cookies" }
        let vary = (response.headerFields[.vary] ?? "").lowercased()
        for name in ["*", "cookie", "authorization", "user-agent"] where vary.contains(name) {
            return "its response depends on the request (Vary: \(name))"
        }
        if isDocument, query != nil { return "the content of a document may depend on its query" }
        if let name = secret { return "\(name) may be a secret" }
        return observed.bytes == nil ? "its body was not completely recorded" : nil
    }

    private var isDocument: Bool { type == "text/html" || type == "application/xhtml+xml" }

    private var isAskedByScript: Bool {
        HTTPField.Name("Sec-Fetch-Dest").flatMap { observed.request.headerFields[$0] } == "empty"
    }

    /// The directives of `Cache-Control` in lower case.
    private var cacheControl: [String] {
        FieldList.members(of: observed.response?.headerFields[.cacheControl] ?? "").map(\.asciiLowercased)
    }

    private var lasts: Bool {
        let directives = cacheControl
        guard !directives.contains("no-cache") else { return false }
        return directives.contains("immutable")
            || directives.contains { $0.hasPrefix("max-age=") && Int($0.dropFirst(8)) ?? 0 >= 3_600 }
    }

    private var query: Substring? {
        let path = observed.request.path ?? ""
        return path.firstIndex(of: "?").map { path[path.index(after: $0)...] }
    }

    /// The name of the first query parameter that is not a version. It may be a key or personal data.
    private var secret: String? {
        (query ?? "").split(separator: "&").first { parameter in
            let name = parameter.prefix { $0 != "=" }
            let value = parameter.dropFirst(name.count + 1)
            return !Self.versions.contains(name.lowercased()) || value.utf8.count > 64
                || !value.utf8.allSatisfy { Self.versionBytes.contains($0) }
        }.map { String($0.prefix { $0 != "=" }) }
    }

    private static let kinds = ["image/", "font/", "audio/", "video/", "application/font-", "application/x-font-"]
    private static let types: Set<String> = [
        "text/css", "text/javascript", "application/javascript", "application/x-javascript", "application/wasm",
        "application/manifest+json", "application/vnd.ms-fontobject", "text/vtt",
    ]
    private static let versions: Set<String> = ["v", "ver", "version", "rev", "revision", "hash", "build", "t", "ts"]
    private static let versionBytes = Set("0123456789abcdefABCDEF._-".utf8)
}

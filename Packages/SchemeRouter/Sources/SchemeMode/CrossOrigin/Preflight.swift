// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The preflight request that a cross-origin request requires (Fetch, section 4.8, CORS-preflight fetch).
struct Preflight {
    /// The key of a permission.
    struct Key: Hashable {
        /// The document of the requesting page. It is part of the key so that a page cannot observe the requests of
        /// another page.
        let page: ByteText?
        let origin: ByteText
        let url: ByteText
        /// A Boolean value that indicates whether requests have credentials, which wildcards do not cover.
        let isCredentialed: Bool

        /// The approximate memory usage in bytes.
        var size: Int { [page, origin, url].reduce(0) { $0 + ($1?.text.utf8.count ?? 0) } }
    }

    let key: Key
    let method: HTTPRequest.Method
    /// The names of the fields that need permission, in lower case, sorted.
    let fieldNames: [String]
    private let originalRequest: ResourceRequest

    /// Creates the preflight of a request, or returns `nil` if none is required: within an origin, for navigations, and
    /// if the method and all fields are safelisted. Elements send only safelisted requests, so every request that is
    /// not safelisted is a CORS request.
    init?(for request: ResourceRequest) {
        guard request.mode != .navigate, let origin = request.head.headerFields[.origin],
            !(request.head.webOrigin?.description).hasSameBytes(as: origin)
        else { return nil }
        fieldNames = CORSSafelist.unsafeNames(in: request.head.headerFields)
        method = request.head.method
        guard !fieldNames.isEmpty || !CORSSafelist.contains(method) else { return nil }
        let page = request.page.flatMap { HTTPRequest(urlText: $0.page.documentURL)?.urlText }
        key = Key(
            page: page.map { ByteText($0) }, origin: ByteText(origin), url: ByteText(request.head.urlText),
            isCredentialed: request.credentials == .include)
        originalRequest = request
    }

    /// The preflight request.
    var request: ResourceRequest {
        var head = originalRequest.head
        head.method = .options
        head.headerFields = [.accept: "*/*", .accessControlRequestMethod: method.rawValue]
        if !fieldNames.isEmpty { head.headerFields[.accessControlRequestHeaders] = fieldNames.joined(separator: ",") }
        for name in [HTTPField.Name.origin, .referer, .userAgent, .acceptLanguage] + FetchMetadata.names {
            head.headerFields[name] = originalRequest.head.headerFields[name]
        }
        return ResourceRequest(head, destination: originalRequest.destination, mode: .cors, page: originalRequest.page)
    }

    /// Returns the permission that the server's response gives.
    /// - Throws: `ResourceError` with code `blocked` if the server does not permit the request.
    func permission(in head: HTTPResponse, by names: SchemeNames) throws -> PreflightPermission {
        guard CORSPermission(of: head, to: originalRequest, by: names).isGiven else {
            throw refusal("does not permit \(key.origin)")
        }
        guard (200..<300).contains(head.status.code) else {
            throw refusal("responded to the preflight with \(head.status.code)")
        }
        guard let permission = PreflightPermission(head.headerFields, isCredentialed: key.isCredentialed) else {
            throw refusal("responded to the preflight with an invalid list")
        }
        guard permission.permits(method) else { throw refusal("does not permit \(method)") }
        if let name = fieldNames.first(where: { !permission.permits(fieldName: $0) }) {
            throw refusal("does not permit the field \(name)")
        }
        return permission
    }

    private func refusal(_ what: String) -> ResourceError {
        ResourceError(.blocked, "the server \(what) (CORS)", at: key.url.text)
    }
}

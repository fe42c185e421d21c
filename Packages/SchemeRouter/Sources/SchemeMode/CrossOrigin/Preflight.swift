// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// The question that a request has to ask the server of another origin before it goes there itself
/// (Fetch, section 4.8, CORS-preflight fetch).
struct Preflight {
    /// Whose permission it is, and for what.
    struct Key: Hashable {
        /// The document of the page that asks, so that one page cannot tell what another one asked.
        let page: String?
        let origin: String
        let url: String
        /// Whether it is for requests with credentials, which a wildcard does not speak of.
        let isCredentialed: Bool

        /// About how many bytes it holds.
        var size: Int { [page ?? "", origin, url].reduce(0) { $0 + $1.utf8.count } }
    }

    let key: Key
    let method: HTTPRequest.Method
    /// Names of fields, in lower case, sorted.
    let fieldNames: [String]
    private let asking: ResourceRequest

    /// `nil` where no question is needed: within an origin, for navigations, and where everything about a request is
    /// safelisted. Elements ask for nothing else, so all others are of CORS.
    init?(for request: ResourceRequest) {
        guard request.mode != .navigate, let origin = request.head.headerFields[.origin],
            request.head.webOrigin?.description != origin
        else { return nil }
        fieldNames = CORSSafelist.unsafeNames(in: request.head.headerFields)
        method = request.head.method
        guard !fieldNames.isEmpty || !CORSSafelist.contains(method) else { return nil }
        let page = request.page.flatMap { HTTPRequest(urlText: $0.page.documentURL)?.urlText }
        key = Key(
            page: page, origin: origin, url: request.head.urlText, isCredentialed: request.credentials == .include)
        asking = request
    }

    /// What is sent.
    var request: ResourceRequest {
        var head = asking.head
        head.method = .options
        head.headerFields = [.accept: "*/*", .accessControlRequestMethod: method.rawValue]
        if !fieldNames.isEmpty { head.headerFields[.accessControlRequestHeaders] = fieldNames.joined(separator: ",") }
        for name in [HTTPField.Name.origin, .referer, .userAgent, .acceptLanguage] + FetchMetadata.names {
            head.headerFields[name] = asking.head.headerFields[name]
        }
        return ResourceRequest(head, destination: asking.destination, mode: .cors, page: asking.page)
    }

    /// What the server's answer permits.
    /// - Throws: `ResourceError` with code `blocked` where it does not permit this request.
    func permission(in head: HTTPResponse, by names: SchemeNames) throws -> PreflightPermission {
        guard CORSPermission(of: head, to: asking, by: names).isGiven else {
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
        ResourceError(.blocked, "the server \(what) (CORS)", at: key.url)
    }
}

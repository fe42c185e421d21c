// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// What an answer's server permits to a page of another origin.
struct CORSPermission {
    private let fields: HTTPFields
    /// The `Origin` that the request went out with.
    private let origin: String?

    /// - Parameter request: the request that went out, with real values.
    init(of head: HTTPResponse, to request: HTTPRequest) {
        fields = head.headerFields
        origin = request.headerFields[.origin]
    }

    /// Whether the page may read the answer: the CORS check (Fetch, section 4.9) of a request without credentials.
    ///
    /// Whether a request is one with credentials is not known here. The engine knows, and checks the answer once more.
    var isGiven: Bool {
        let allowed = fields[.accessControlAllowOrigin]
        return allowed == "*" || allowed != nil && allowed == origin
    }

    /// The value that says the same to the engine, which knows the page by its name; `nil` where nothing is to be said
    /// otherwise.
    /// - Parameter page: the page's real origin.
    func named(for page: String, by names: SchemeNames) -> String? {
        guard let origin, fields[.accessControlAllowOrigin] == origin else { return nil }
        return names.name(of: page)
    }
}

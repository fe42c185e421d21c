// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// What an answer's server permits to a page of another origin.
struct CORSPermission {
    private let fields: HTTPFields
    /// The `Origin` that the request went out with.
    private let origin: String?
    /// How the page itself reads that, and may have said it to the server.
    private let nameOfOrigin: String?
    /// Whether the page's script has asked for credentials. Of what else asks with them the engine knows alone, and checks
    /// its answers itself.
    private let isCredentialed: Bool

    /// - Parameters:
    ///   - request: the request that went out, with real values.
    ///   - names: by which pages know origins.
    ///   - origin: the one that asks; as the request says it by default.
    init(of head: HTTPResponse, to request: ResourceRequest, by names: SchemeNames, from origin: String? = nil) {
        fields = head.headerFields
        self.origin = origin ?? request.head.headerFields[.origin]
        nameOfOrigin = self.origin.flatMap(names.name(of:))
        isCredentialed = request.credentials == .include
    }

    /// Whether the page may read the answer: the CORS check (Fetch, section 4.9).
    var isGiven: Bool { isCredentialed ? isNamed && allowsCredentials : isNamed || isOpen }

    private var isNamed: Bool {
        guard let value = fields[.accessControlAllowOrigin] else { return false }
        return value == origin || value == nameOfOrigin
    }
    private var isOpen: Bool { fields[.accessControlAllowOrigin] == "*" }
    private var allowsCredentials: Bool { fields[.accessControlAllowCredentials] == "true" }

    /// What the page may read of the fields (Fetch, CORS filtered response), and what the engine itself needs of them.
    var readableFields: HTTPFields {
        let exposed = Set(
            fields[values: .accessControlExposeHeaders].flatMap { FieldList.members(of: $0) }.map {
                $0.asciiLowercased
            })
        let exposesAll = !isCredentialed && exposed.contains("*")
        return fields.filter { field in
            let name = field.name.canonicalName
            return exposesAll || exposed.contains(name) || CORSSafelist.answerNames.contains(name)
                || Self.engineNames.contains(name)
        }
    }

    /// By the first three the engine judges once more what it knows to be of another origin. By the others it, and what
    /// lies around this, decodes, caches, rewrites, and takes parts.
    private static let engineNames: Set = [
        "access-control-allow-credentials", "access-control-allow-origin", "access-control-expose-headers",
        "accept-ranges", "content-disposition", "content-encoding", "content-range", "content-security-policy", "etag",
        "set-cookie", "vary", "x-content-type-options",
    ]

    /// The value that says the same to the engine, which knows the page by its name; `nil` where nothing is to be said
    /// otherwise.
    /// - Parameter page: the page's real origin.
    func named(for page: String, by names: SchemeNames) -> String? {
        guard let origin, fields[.accessControlAllowOrigin] == origin else { return nil }
        return names.name(of: page)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The permission that a response gives to a page of another origin.
struct CORSPermission {
    private let fields: HTTPFields
    /// The `Origin` that was sent.
    private let origin: String?
    /// The origin in its custom-scheme form, which the page itself uses and may have sent to the server.
    private let nameOfOrigin: String?
    /// A Boolean value that indicates whether the page's script requested credentials. The credentials of other
    /// requests are unknown here; the engine itself checks the responses to them.
    private let isCredentialed: Bool

    /// Creates the permission of a response.
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - request: The request that was sent, with real URLs.
    ///   - names: The custom schemes of pages.
    ///   - origin: The requesting origin; by default the `Origin` of the request.
    init(of head: HTTPResponse, to request: ResourceRequest, by names: SchemeNames, from origin: String? = nil) {
        fields = head.headerFields
        self.origin = origin ?? request.head.headerFields[.origin]
        nameOfOrigin = self.origin.flatMap(names.name(of:))
        isCredentialed = request.credentials == .include
    }

    /// A Boolean value that indicates whether the page may read the response: the CORS check (Fetch, section 4.9).
    var isGiven: Bool { isCredentialed ? isNamed && allowsCredentials : isNamed || isOpen }

    private var isNamed: Bool {
        guard let value = fields[.accessControlAllowOrigin] else { return false }
        return [origin, nameOfOrigin].contains { $0?.hasSameBytes(as: value) == true }
    }
    private var isOpen: Bool { fields[.accessControlAllowOrigin] == "*" }
    private var allowsCredentials: Bool { fields[.accessControlAllowCredentials] == "true" }

    /// The fields that the page may read (Fetch, CORS filtered response), and the fields that the engine requires.
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

    /// The engine repeats the CORS check with the first three fields. The others are required for decoding, caching,
    /// rewriting and ranges.
    private static let engineNames: Set = [
        "access-control-allow-credentials", "access-control-allow-origin", "access-control-expose-headers",
        "accept-ranges", "content-disposition", "content-encoding", "content-range", "content-security-policy", "etag",
        "set-cookie", "vary", "x-content-type-options",
    ]

    /// Returns the `Access-Control-Allow-Origin` value in the form that the engine uses for the page; `nil` if the
    /// value stays unchanged.
    /// - Parameters:
    ///   - page: The real origin of the page.
    ///   - names: The custom schemes of pages.
    func named(for page: String, by names: SchemeNames) -> String? {
        guard let origin, fields[.accessControlAllowOrigin].hasSameBytes(as: origin) else { return nil }
        return names.name(of: page)
    }
}

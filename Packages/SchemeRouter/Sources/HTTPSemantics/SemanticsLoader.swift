// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading
internal import SystemSupport
internal import WebSyntax

/// A loader that adds HTTP semantics (RFC 9110) to loaders of complete files: HEAD, preconditions, ranges, and the
/// related fields.
///
/// The base loaders respond to HEAD as to GET, including the body. They provide the type, a validator (`ETag`,
/// `Last-Modified`) and `Cache-Control`; this loader adds everything else. Bodies are not copied: a range of a file is
/// a smaller slice of that file. If the body is a stream, the complete body is sent, which RFC 9110 permits.
public struct SemanticsLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let options: Options
    private let boundary: @Sendable () -> String

    /// Creates a loader.
    /// - Parameters:
    ///   - base: The loader of complete files.
    ///   - options: The behavior where HTTP leaves a choice to the server.
    ///   - boundary: A closure that returns a boundary, which must occur in no file; random by default.
    public init(
        _ base: any ResourceLoader, options: Options = Options(),
        boundary: @escaping @Sendable () -> String = SemanticsLoader.randomBoundary
    ) {
        self.base = base
        self.options = options
        self.boundary = boundary
    }

    nonisolated(nonsending) public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard request.head.method == .get || request.head.method == .head else {
            return try await base.load(request)
        }
        guard let response = try await find(request) else { return nil }
        return settle(response, for: request.head)
    }

    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        // With either option, a URL may require several requests to the base loader.
        guard request.head.method == .get || request.head.method == .head, !options.addsHTMLExtension,
            !options.redirectsToFolders, case .known(let response) = base.immediateResponse(to: request)
        else { return .later }
        return .known(response.map { settle($0, for: request.head) })
    }

    /// Returns a random boundary that no file author can predict.
    public static func randomBoundary() -> String {
        "range-\(RandomToken.hex(byteCount: 16))"
    }

    // MARK: File lookup

    /// Returns the response for the URL of a request, or else for the `.html` file or the folder that the options
    /// permit.
    nonisolated(nonsending) private func find(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let response = try await base.load(request)
        guard options.addsHTMLExtension || options.redirectsToFolders else { return response }
        if let response, response.head.status != .notFound || !isLocal(response) { return response }
        let target = request.head.path ?? "/"
        let end = target.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? target.endIndex
        let path = target[..<end]
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), path.utf8.last != UInt8(ascii: "/") else {
            return response
        }
        if options.addsHTMLExtension, !path.utf8[slash...].contains(UInt8(ascii: ".")),
            let page = try await answer(request, at: path + ".html" + target[end...])
        {
            return page
        }
        if options.redirectsToFolders, let folder = try await answer(request, at: path + "/" + target[end...]) {
            // The URL is absolute, because a path that begins with two slashes would specify a host.
            let origin = "\(request.head.scheme ?? "")://\(request.head.authority ?? "")"
            var fields: HTTPFields = [.location: "\(origin)\(path)/\(target[end...])"]
            fields[.cacheControl] = folder.head.headerFields[.cacheControl]
            return ResourceResponse(
                head: HTTPResponse(status: .movedPermanently, headerFields: fields), body: .empty,
                provenance: folder.provenance)
        }
        return response
    }

    nonisolated(nonsending) private func answer(
        _ request: ResourceRequest, at target: String
    ) async throws -> ResourceResponse? {
        var request = request
        request.head.path = target
        guard let response = try await base.load(request), response.head.status == .ok, isLocal(response) else {
            return nil
        }
        return response
    }

    private func isLocal(_ response: ResourceResponse) -> Bool {
        options.sources.contains(response.provenance.source)
    }

    // MARK: Response

    private func settle(_ response: ResourceResponse, for request: HTTPRequest) -> ResourceResponse {
        guard isLocal(response) else { return response }
        var response = response
        complete(&response)
        // Preconditions apply only to successful responses (RFC 9110, section 13.2.1).
        if response.head.status == .ok, let conditions = Preconditions(request.headerFields) {
            let outcome = conditions.outcome(
                tag: response.head.headerFields[.eTag].flatMap { EntityTag($0) },
                modified: response.head.headerFields[.lastModified], isGet: request.method == .get)
            apply(outcome, to: &response)
        }
        // RFC 9110, section 9.3.2: a response to HEAD has the fields of GET and no body.
        if request.method == .head { response.body = .empty }
        return response
    }

    /// Adds `Content-Length`, `Accept-Ranges` and `X-Content-Type-Options`, if they are missing and apply.
    private func complete(_ response: inout ResourceResponse) {
        let isWhole = response.head.status == .ok
        var hasType = false
        var hasLength = false
        var hasRanges = false
        var hasSniffing = false
        for field in response.head.headerFields {
            switch field.name {
            case .contentType: hasType = true
            case .contentLength: hasLength = true
            case .acceptRanges: hasRanges = true
            case .xContentTypeOptions: hasSniffing = true
            default: break
            }
        }
        if !hasLength, let length = response.body.length {
            response.head.headerFields.append(HTTPField(name: .contentLength, value: String(length)))
        }
        if !hasRanges, isWhole, !response.body.isStream { response.head.headerFields.append(Self.acceptRanges) }
        // `nosniff` is useful only with a type.
        if !hasSniffing, hasType { response.head.headerFields.append(Self.noSniffing) }
    }

    private func apply(_ outcome: Preconditions.Outcome, to response: inout ResourceResponse) {
        switch outcome {
        case .whole: break
        case .part(let field): cut(field, out: &response)
        case .notModified:
            // RFC 9110, section 15.4.5: the fields that a cache needs to update its stored response, and none that
            // describe the body.
            var fields = HTTPFields()
            for field in response.head.headerFields where Self.ofNotModified.contains(field.name) {
                fields.append(field)
            }
            response.head = HTTPResponse(status: .notModified, headerFields: fields)
            response.body = .empty
        case .failed:
            refuse(&response, .preconditionFailed, [.contentLength: "0"])
        }
    }

    /// Converts the response into one without content. Fields that do not describe the file stay, such as
    /// `Access-Control-Allow-Origin`: without it a script gets an error instead of the status (Fetch, "CORS check").
    private func refuse(
        _ response: inout ResourceResponse, _ status: HTTPResponse.Status, _ fields: HTTPFields
    ) {
        var kept = fields
        for field in response.head.headerFields where !Self.namesOfContentFields.contains(field.name) {
            kept.append(field)
        }
        response.head = HTTPResponse(status: status, headerFields: kept)
        response.body = .empty
    }

    /// Converts the response into a partial response (RFC 9110, section 15.3.7) or into `416` (section 15.5.17).
    private func cut(_ field: String, out response: inout ResourceResponse) {
        guard !response.body.isStream, let length = response.body.length else { return }
        switch ByteRanges(field, length: length, maxParts: options.maxRanges) {
        case .ignored: break
        case .unsatisfiable:
            refuse(
                &response, .rangeNotSatisfiable,
                [
                    .contentRange: ContentRange.unsatisfied(total: length).description, .contentLength: "0",
                    .acceptRanges: "bytes",
                ])
        case .parts(let parts) where parts.count == 1:
            guard let body = response.body.slice(parts[0]) else { return }
            response.head.status = .partialContent
            response.head.headerFields[.contentRange] =
                ContentRange.part(parts[0], total: length).description
            response.head.headerFields[.contentLength] = String(parts[0].count)
            response.body = body
        case .parts(let parts):
            let boundary = boundary()
            guard
                let pieces = MultipartRanges(
                    of: response.body, parts: parts, type: response.head.headerFields[.contentType], boundary: boundary)
            else { return }
            response.head.status = .partialContent
            response.head.headerFields[.contentType] = "multipart/byteranges; boundary=\(boundary)"
            response.head.headerFields[.contentLength] = String(pieces.length)
            response.body = .stream(ByteStream(pieces, length: pieces.length))
        }
    }

    private static let acceptRanges = HTTPField(name: .acceptRanges, value: "bytes")
    private static let noSniffing = HTTPField(name: .xContentTypeOptions, value: "nosniff")
    /// The names of the fields that describe the content of a file, or what a cache may do with it.
    ///
    /// `Vary`, `Cache-Control` and `Expires` are among them, because caches use them to store and select the content.
    /// Policies such as `X-Content-Type-Options` are not.
    private static let namesOfContentFields: Set<HTTPField.Name> = [
        .acceptRanges, .cacheControl, .contentDisposition, .contentEncoding, .contentLanguage, .contentLength,
        .contentLocation, .contentRange, .contentType, .eTag, .expires, .lastModified, .vary,
    ]
    private static let ofNotModified: Set<HTTPField.Name> = [
        .cacheControl, .contentLocation, .date, .eTag, .expires, .vary,
    ]
}

extension ResourceLoader where Self == SemanticsLoader {
    /// Creates a loader that adds HTTP semantics to a loader of complete files.
    public static func settled(
        _ base: any ResourceLoader, options: SemanticsLoader.Options = SemanticsLoader.Options()
    ) -> Self {
        SemanticsLoader(base, options: options)
    }
}

extension SemanticsLoader {
    /// The behavior that HTTP leaves to the server.
    public struct Options: Sendable, Hashable {
        /// The sources whose responses are local and are processed; all except the network by default. Other responses
        /// come from a server and are not changed.
        public var sources: Set<Provenance.Source> = [.package, .prefetch, .memory, .disk, .synthetic]
        /// The maximum number of ranges in a request; 16 by default. With more ranges, the complete body is sent.
        public var maxRanges = 16
        /// A Boolean value that indicates whether a path without a response is redirected to the path with a trailing
        /// slash, if the latter has a response; `false` by default.
        public var redirectsToFolders = false
        /// A Boolean value that indicates whether a path without an extension and without a response is served from
        /// the path with `.html`; `false` by default.
        public var addsHTMLExtension = false

        /// Creates the default options.
        public init() {}
    }
}

extension HTTPResponse {
    /// A Boolean value that indicates whether an empty document is expected for this response.
    ///
    /// This is the case for a response with a `Refresh` field (HTML, section "Shared declarative refresh steps"). It is
    /// also the case for status 204 or 205 (RFC 9110, sections 15.3.5 and 15.3.6). For these statuses, some engines
    /// show an empty document on a custom scheme.
    public var leavesDocumentEmpty: Bool {
        status == .noContent || status == .resetContent || HTTPField.Name.refresh.map(headerFields.contains) ?? false
    }
}

extension HTTPField.Name {
    fileprivate static let refresh = HTTPField.Name("Refresh")
}

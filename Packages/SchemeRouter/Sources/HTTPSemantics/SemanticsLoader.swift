// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading
internal import SystemSupport
internal import WebSyntax

/// Lets loaders that have whole files answer as a server would (RFC 9110): HEAD, conditions, ranges, and the fields that
/// go with them.
///
/// The loaders inside answer HEAD as they answer GET, body included, with the type, a validator (`ETag`,
/// `Last-Modified`) and what may be kept (`Cache-Control`); everything else is added here. Bodies stay what they are: a
/// range of a file is a smaller slice of that file, and nothing is copied. Where a body is still arriving, the whole is
/// sent, which a server may always do.
public struct SemanticsLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let options: Options
    private let boundary: @Sendable () -> String

    /// - Parameters:
    ///   - base: answers whole files.
    ///   - options: the behavior where HTTP leaves a server the choice.
    ///   - boundary: a text that is in none of them; random by default.
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
            if let response = try await base.load(request) { return response }
            return options.refusesOtherMethods ? try await refusal(of: request) : nil
        }
        guard let response = try await find(request) else { return nil }
        return settle(response, for: request.head)
    }

    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        // Other methods, and URLs that stand for others, may take several questions.
        guard request.head.method == .get || request.head.method == .head, !options.addsHTMLExtension,
            !options.redirectsToFolders, case .known(let response) = base.immediateResponse(to: request)
        else { return .later }
        return .known(response.map { settle($0, for: request.head) })
    }

    /// Two random numbers: nobody can write a file that has it.
    public static func randomBoundary() -> String {
        "range-\(RandomToken.hex(byteCount: 16))"
    }

    // MARK: Which file

    /// The answer to a URL, or to the one that stands for it.
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
            // Absolute: a path that begins with two slashes would name a host.
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

    /// RFC 9110, section 15.5.6; `nil` where GET would not be answered here.
    nonisolated(nonsending) private func refusal(of request: ResourceRequest) async throws -> ResourceResponse? {
        var probe = request
        probe.head.method = .head
        probe.body = .empty
        guard let found = try await base.load(probe), found.head.status == .ok, isLocal(found) else { return nil }
        return ResourceResponse(
            head: HTTPResponse(status: .methodNotAllowed, headerFields: [.allow: "GET, HEAD", .contentLength: "0"]),
            body: .empty, provenance: found.provenance)
    }

    private func isLocal(_ response: ResourceResponse) -> Bool {
        options.sources.contains(response.provenance.source)
    }

    // MARK: How it is answered

    private func settle(_ response: ResourceResponse, for request: HTTPRequest) -> ResourceResponse {
        guard isLocal(response) else { return response }
        var response = response
        complete(&response)
        // Conditions are about a successful answer alone (RFC 9110, section 13.2.1).
        if response.head.status == .ok, let conditions = Preconditions(request.headerFields) {
            let outcome = conditions.outcome(
                tag: response.head.headerFields[.eTag].flatMap { EntityTag($0) },
                modified: response.head.headerFields[.lastModified], isGet: request.method == .get)
            apply(outcome, to: &response)
        }
        // RFC 9110, section 9.3.2: the fields of GET, and no body.
        if request.method == .head { response.body = .empty }
        return response
    }

    /// Adds the fields that follow from the body and from the presence of a type.
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
        if !hasRanges, isWhole, response.body.isWhole { response.head.headerFields.append(Self.acceptRanges) }
        // Only a type that is there can be insisted on.
        if !hasSniffing, hasType { response.head.headerFields.append(Self.noSniffing) }
    }

    private func apply(_ outcome: Preconditions.Outcome, to response: inout ResourceResponse) {
        switch outcome {
        case .whole: break
        case .part(let field): cut(field, out: &response)
        case .notModified:
            // RFC 9110, section 15.4.5: what a cache needs to go on using what it has, and nothing of the content.
            var fields = HTTPFields()
            for field in response.head.headerFields where Self.ofNotModified.contains(field.name) {
                fields.append(field)
            }
            response.head = HTTPResponse(status: .notModified, headerFields: fields)
            response.body = .empty
        case .failed:
            response.head = HTTPResponse(status: .preconditionFailed, headerFields: [.contentLength: "0"])
            response.body = .empty
        }
    }

    /// Makes the answer one of a part (RFC 9110, section 15.3.7), or says that there is no such part (15.5.17).
    private func cut(_ field: String, out response: inout ResourceResponse) {
        guard response.body.isWhole, let length = response.body.length else { return }
        switch ByteRanges(field, length: length, maxParts: options.maxRanges) {
        case .ignored: break
        case .unsatisfiable:
            response.head = HTTPResponse(
                status: .rangeNotSatisfiable,
                headerFields: [
                    .contentRange: ContentRange.unsatisfied(total: length).description, .contentLength: "0",
                    .acceptRanges: "bytes",
                ])
            response.body = .empty
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
    private static let ofNotModified: Set<HTTPField.Name> = [
        .cacheControl, .contentLocation, .date, .eTag, .expires, .vary,
    ]
}

extension ResourceLoader where Self == SemanticsLoader {
    /// Loaders of whole files, in order, that answer as a server would.
    public static func settled(
        _ base: any ResourceLoader, options: SemanticsLoader.Options = SemanticsLoader.Options()
    ) -> Self {
        SemanticsLoader(base, options: options)
    }
}

extension SemanticsLoader {
    /// What a server may do one way or another.
    public struct Options: Sendable, Hashable {
        /// Answers of these sources are made here and are settled; others come from a server that has done so, and pass as
        /// they are. Default: all but the network.
        public var sources: Set<Provenance.Source> = [.package, .prefetch, .memory, .disk, .synthetic]
        /// The most ranges of one request that are heeded; with more the whole is sent. Default: 16.
        public var maxRanges = 16
        /// A path that nothing answers leads to the same with a slash, where that is answered. Default: false.
        public var redirectsToFolders = false
        /// A path without an extension that nothing answers is answered by the one with `.html`. Default: false.
        public var addsHTMLExtension = false
        /// Methods other than GET and HEAD are refused (405) where GET would be answered here; else they are the next
        /// loader's, since a server may know them. Default: false.
        public var refusesOtherMethods = false

        public init() {}
    }
}

extension HTTPResponse {
    /// A Boolean value that indicates whether the server leaves the document empty on purpose: by status 204 or 205
    /// (RFC 9110, sections 15.3.5 and 15.3.6), for which some engines show an empty document on a custom scheme, or by
    /// a `Refresh` field, which navigates on (HTML, section "Shared declarative refresh steps").
    public var leavesDocumentEmpty: Bool {
        status == .noContent || status == .resetContent || HTTPField.Name.refresh.map(headerFields.contains) ?? false
    }
}

extension HTTPField.Name {
    fileprivate static let refresh = HTTPField.Name("Refresh")
}

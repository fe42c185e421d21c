// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTransport
internal import HTTPTypes
internal import OfflinePackage
internal import ResourceLoading
internal import SchemeMode
internal import SchemeRouter

/// The way of one request, in the order in which it goes.
///
/// What has to be completed and settled is not guessed: it is read from the engine's traits, once, when the path is
/// built.
struct RequestPath: Sendable {
    private let names: SchemeNames
    private let traits: EngineTraits
    private let library: PackageLibrary
    private let coveredHosts: [HostPattern]
    private let chain: any ResourceLoading

    init(
        names: SchemeNames, traits: EngineTraits, library: PackageLibrary, transport: any HTTPTransporting,
        coveredHosts: [HostPattern]
    ) {
        self.names = names
        self.traits = traits
        self.library = library
        self.coveredHosts = coveredHosts

        // 3 Answer it: the first loader that has it.
        let answer: any ResourceLoading = .first(of: .package(library), .network(transport))

        // 4 Settle it: what the engine does not do.
        chain = traits.followsRedirects ? answer : RedirectFollower(answer, names: names)
    }

    /// Whether the container answers for the host, or the path, of a real URL.
    func covers(_ url: String) -> Bool {
        guard let request = HTTPRequest(urlText: url), let authority = request.authority else { return false }
        let defaultPort = request.scheme == "http" ? 80 : 443
        return coveredHosts.contains { $0.matches(authority, defaultPort: defaultPort) } || library.covers(url)
    }

    /// Answers a request of the engine.
    func answer(_ request: EngineRequest, for page: PageReference?) async throws -> ResourceResponse {
        var named = try name(request, for: page)
        try complete(&named)
        guard let response = try await chain.load(named) else {
            throw ResourceError(.internal, "no loader answered", at: named.head.urlText)
        }
        return response
    }

    /// 1 Name it: the real URL, the page, and how sure that is.
    private func name(_ request: EngineRequest, for page: PageReference?) throws -> ResourceRequest {
        var head = request.head
        guard let scheme = names.realScheme(for: head.scheme ?? "") else {
            throw ResourceError(.invalidRequest, "not a scheme of this container", at: head.urlText)
        }
        head.scheme = scheme
        guard covers(head.urlText) else {
            throw ResourceError(.invalidRequest, "no rule covers this host", at: head.urlText)
        }
        return ResourceRequest(
            head, destination: request.isMainDocument ? .document : .subresource,
            page: page.map { PageAttribution($0, confidence: traits.identifiesPage ? .exact : .inferred) })
    }

    /// 2 Complete it: what the engine loses on the way.
    private func complete(_ request: inout ResourceRequest) throws {
        names.restoreOriginFields(in: &request.head.headerFields)
        let method = request.head.method
        let fields = request.head.headerFields
        let announcesBody = fields[.contentType] != nil || fields[.contentLength] != nil
        let carriesBody =
            // A typed array is sent with neither field, so these methods are never known to be without a body.
            [.post, .put, .patch].contains(method)
            // Engines send none with these, though scripts set `Content-Type` on them.
            || ![.get, .head, .options, .trace].contains(method) && announcesBody
        if !traits.keepsBodies, carriesBody {
            // Without its body the request would mean something else: it fails instead of going out crippled.
            throw ResourceError(.invalidRequest, "this engine loses the body of the request", at: request.head.urlText)
        }
    }
}

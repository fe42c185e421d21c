// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import OfflinePackage
internal import Prefetch
internal import PublicSuffixList
internal import ResourceLoading
internal import SchemeMode
internal import WebEngine

/// Has requests made when a page is opened, and drops their answers when they are nobody's any more.
///
/// Isolation: the main actor.
@MainActor
final class Prefetcher {
    /// What requests are completed with, and how they are made.
    struct Setup {
        var completion: PrefetchCompletion
        var configuration: PrefetchLoader.Configuration

        /// - Parameter modes: how many there are that share what answers may hold in memory.
        /// - Returns: `nil` where nothing is fetched ahead.
        init?<Engine>(
            _ configuration: Container<Engine>.Configuration, _ traits: EngineTraits, fields: EngineFields?,
            library: PackageLibrary, switches: FeatureSwitches, among modes: Int = 1
        ) {
            guard let options = configuration.prefetch, let fields else { return nil }
            completion = PrefetchCompletion(
                fields: fields, cookies: OpeningCookies(), agents: OpeningAgents(),
                sendsCookiesToOtherOrigins: options.sendsCookiesToOtherOrigins,
                packages: SwitchedLoader(switches[.packages], on: PackageLoader(library)),
                completion: RequestCompletion(
                    configuration.names, sites: SuffixList(), acceptLanguage: traits.acceptLanguage))
            self.configuration = options.loader
            self.configuration.maxBytes /= modes
        }
    }

    private let loader: PrefetchLoader
    private let path: RequestHandler
    private let setup: Setup
    private let isOriginBound: Bool
    private let keepsCookies: Bool
    private let fetchesDocument: Bool
    private let readCookies: @MainActor (_ page: String) async throws -> PageCookies
    var table: PrefetchTable?

    /// - Parameters:
    ///   - readCookies: what the page's requests will have theirs from, read anew.
    /// - Returns: `nil` where the path has no prefetch.
    init?(
        _ setup: Setup?, _ options: PrefetchOptions?, in mode: InterceptionMode, path: RequestHandler,
        readCookies: @escaping @MainActor (_ page: String) async throws -> PageCookies
    ) {
        guard let setup, let options, let loader = path.prefetch else { return nil }
        self.loader = loader
        self.path = path
        self.setup = setup
        // At the local server a page reaches others past the container.
        isOriginBound = mode == .loopbackServer
        // In other modes the engine keeps them, of answers that come to it.
        keepsCookies = mode == .customScheme
        fetchesDocument = options.fetchesDocument
        table = options.table
        self.readCookies = readCookies
    }

    var counters: PrefetchCounters { loader.counters }

    /// What is asked for is on its way when this returns.
    /// - Parameters:
    ///   - isPosted: whether the document is asked for by POST.
    ///   - agent: what the page's view calls itself.
    func begin(_ id: PageID, at url: String, isPosted: Bool, as agent: UserAgent) {
        guard path.opens(url) else { return }
        var requests = table?.requests(for: url) ?? []
        if fetchesDocument, !isPosted, let document = PrefetchRequest.document(url) { requests.insert(document, at: 0) }
        requests = requests.filter { request in
            guard let head = HTTPRequest(method: request.method, urlText: request.url) else { return false }
            return path.asksNetwork(head, of: url, isOriginBound: isOriginBound)
        }
        guard !requests.isEmpty else { return }
        setup.completion.cookies.read(for: id) { [readCookies] in try await readCookies(url) }
        setup.completion.agents.set(agent, for: id)
        loader.prefetch(requests, for: PageReference(id: id, documentURL: url))
    }

    /// What a page gets that asks by a message: as for a request of its own, with the cookies that there are now.
    /// - Parameter origin: of the document that asks; of other URLs than its own origin's it gets nothing.
    /// - Returns: JSON; `nil` for nothing, and for what is not there whole within the time that a request waits for a head.
    /// - Throws: `CancellationError`.
    func answer(_ call: PrefetchCall, of page: PageReference, from origin: WebOrigin) async throws -> Data? {
        guard loader.mayAnswer(call, from: origin),
            let head = HTTPRequest(method: call.method, urlText: call.target),
            path.asksNetwork(head, of: page.documentURL, isOriginBound: isOriginBound)
        else { return nil }
        setup.completion.cookies.read(for: page.id) { [readCookies] in try await readCookies(page.documentURL) }
        do {
            return try await withLimit(setup.configuration.joinLimit, "the answer does not come whole") {
                [loader, keepsCookies] in
                guard
                    let response = try await loader.answer(
                        call, of: page, from: origin, keepsCookies: keepsCookies),
                    let decoded = try await DecodingLoader(GivenAnswer(response: response)).load(ResourceRequest(head))
                else { return nil }
                return try await PrefetchReply(decoded).json
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            // The page asks itself.
            return nil
        }
    }

    /// Answers with what is there.
    private struct GivenAnswer: ResourceLoader {
        let response: ResourceResponse

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? { response }
    }

    /// Returns when the cookies of a page that is being opened have been read.
    /// - Returns: whether any are, or were.
    func waitForCookies(of id: PageID) async -> Bool {
        await setup.completion.cookies.waitUntilRead(for: id)
    }

    /// The page is closed, or does not open.
    func forget(_ id: PageID) {
        loader.forget(id)
        setup.completion.cookies.forget(id)
        setup.completion.agents.set(nil, for: id)
    }

    /// Drops what nobody has taken.
    func removeAll() {
        loader.removeAll()
    }
}

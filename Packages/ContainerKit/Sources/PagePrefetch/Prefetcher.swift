// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
@_spi(Facade) package import Prefetch
internal import ResourceLoading
package import WebEngine

/// The sender of the prefetches of one mode, which also replies to the messages of pages with the prefetched responses.
///
/// Isolation: the main actor.
@MainActor
package final class Prefetcher {
    let mode: InterceptionMode
    private let setup: Setup
    private let loader: PrefetchLoader
    private let routing: any PrefetchRouting
    private weak var cookies: (any PrefetchCookieReading)?
    var table: PrefetchTable?

    /// Creates the prefetcher of a mode.
    /// - Parameters:
    ///   - setup: the setup from which the loader was created.
    ///   - mode: the interception mode.
    ///   - loader: the loader in the mode's request pipeline.
    ///   - routing: the decisions of the mode's request pipeline.
    ///   - cookies: the reader of the cookies of pages; not retained.
    package init(
        _ setup: Setup, in mode: InterceptionMode, loader: PrefetchLoader, routing: any PrefetchRouting,
        cookies: any PrefetchCookieReading
    ) {
        self.mode = mode
        self.setup = setup
        self.loader = loader
        self.routing = routing
        self.cookies = cookies
        table = setup.options.table
    }

    /// A Boolean value that indicates whether cross-origin requests of pages do not pass through the container. In the
    /// mode `document`, the container does not know their credentials mode.
    private var isOriginBound: Bool { [.loopbackServer, .document].contains(mode) }
    /// A Boolean value that indicates whether the container stores the cookies of responses. In other modes the
    /// engine stores them.
    private var keepsCookies: Bool { mode == .customScheme }

    var counters: PrefetchCounters { loader.counters }

    /// Starts the prefetches of a page that is being opened. Returns at once.
    /// - Parameters:
    ///   - id: the page.
    ///   - url: the real URL of the page's document.
    ///   - isPosted: `true` if the document is requested by POST.
    ///   - agent: the user agent of the page's view.
    func begin(_ id: PageID, at url: String, isPosted: Bool, as agent: UserAgent) {
        guard routing.opens(url) else { return }
        var requests = table?.requests(for: url) ?? []
        if setup.options.fetchesDocument, !isPosted, let document = PrefetchRequest.document(url) {
            requests.insert(document, at: 0)
        }
        requests = requests.filter { request in
            guard let head = HTTPRequest(method: request.method, urlText: request.url) else { return false }
            return routing.usesNetwork(head, of: url, isOriginBound: isOriginBound)
        }
        guard !requests.isEmpty else { return }
        readCookies(of: id, at: url)
        setup.pages.set(agent, for: id)
        loader.prefetch(requests, for: PageReference(id: id, documentURL: url))
    }

    private func readCookies(of id: PageID, at url: String) {
        setup.pages.readCookies(of: id) { [weak cookies, mode] in
            guard let cookies else { throw CancellationError() }
            return try await cookies.prefetchCookies(ofPageAt: url, in: mode)
        }
    }

    /// Returns the response to a message of a page. The message is handled like a request of the page with the
    /// current cookies.
    /// - Parameters:
    ///   - call: the message.
    ///   - page: the page.
    ///   - origin: the origin of the document that sent the message; only URLs of this origin are served.
    /// - Returns: JSON; `nil` if there is no response, or if it is not complete within the time that a request waits
    ///   for a head.
    /// - Throws: `CancellationError`.
    func answer(_ call: PrefetchCall, of page: PageReference, from origin: WebOrigin) async throws -> Data? {
        guard loader.mayAnswer(call, from: origin),
            let head = HTTPRequest(method: call.method, urlText: call.target),
            routing.usesNetwork(head, of: page.documentURL, isOriginBound: isOriginBound)
        else { return nil }
        readCookies(of: page.id, at: page.documentURL)
        do {
            return try await withLimit(setup.options.loader.joinLimit, "the response was not complete in time") {
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
            // The page makes the request itself.
            return nil
        }
    }

    /// A loader that returns a given response.
    private struct GivenAnswer: ResourceLoader {
        let response: ResourceResponse

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? { response }
    }

    /// Waits until the cookies of a page that is being opened have been read.
    /// - Returns: `false` if no reading was started.
    func waitForCookies(of id: PageID) async -> Bool {
        await setup.pages.waitUntilRead(for: id)
    }

    /// Removes the state of a page that is closed or could not be opened.
    func removePage(_ id: PageID) {
        loader.removePage(id)
        setup.pages.removePage(id)
    }

    /// Removes the responses that no page has taken.
    func removeAll() {
        loader.removeAll()
    }
}

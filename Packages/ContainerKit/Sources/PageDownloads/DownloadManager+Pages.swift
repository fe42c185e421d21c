// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
package import ResourceLoading
package import WebEngine
internal import WebSyntax

// Downloads that pages start: by the engine, by URL, or by a document that must be saved.
extension DownloadManager {
    /// An open page.
    struct OpenPage {
        weak var view: (any EngineView)?
        /// The user agent of the page's own requests.
        var userAgent: String?
    }

    /// Receives the downloads of a page that opens in a view. A download that arrives after the end of the page is
    /// cancelled.
    package func begin(_ page: PageSession, in view: any EngineView) {
        pages[page.id] = OpenPage(view: view)
        view.downloads?.onDownload = { [weak self, weak view] download in
            guard let self, let view, let session = host?.session(of: view.id), session.id == page.id else {
                if case .engine(let download) = download { download.cancel() }
                return
            }
            switch download {
            case .engine(let download):
                var head = DownloadHead(download.head)
                head.url = host?.realURL(of: head.url) ?? head.url
                offer(.engine(download), head, of: session)
            case .named(let url, let isUserGesture): save(url, isUserGesture, of: session, in: view)
            }
        }
    }

    /// Records the user agent of a page's document request, for requests that the container makes for the page.
    package func recordUserAgent(_ agent: String?, of page: PageID) { pages[page]?.userAgent = agent }

    /// Ends the downloads of a page that closes, except those that the app has accepted.
    package func end(_ page: PageID) {
        for download in active.values where download.request.page.id == page && download.phase == .loading {
            download.cancel(DownloadError(.cancelled, "the page was closed", at: download.request.url))
        }
        pages.removeValue(forKey: page)?.view?.downloads?.dropPendingDownloads()
    }

    /// Ends the downloads of pages for which no response has arrived.
    func dropPendingDownloads() {
        for page in pages.values { page.view?.downloads?.dropPendingDownloads() }
    }

    /// Requests a file whose URL has a scheme of the container. The request is made like the other requests of the
    /// page.
    private func save(_ url: String, _ isUserGesture: Bool, of page: PageSession, in view: any EngineView) {
        let head = DownloadHead(
            url: host?.realURL(of: url) ?? url, name: nil, mediaType: nil, length: nil, status: nil,
            isUserGesture: isUserGesture)
        guard var request = HTTPRequest(method: .get, urlText: url) else { return }
        request.headerFields[.accept] = "*/*"
        request.headerFields[.userAgent] = pages[page.id]?.userAgent
        let engineRequest = EngineRequest(head: request, view: view.id, isMainDocument: false)
        let saved = SavedRequest(engineRequest, of: page, names: names)
        load(head, of: page) { [weak view, files] in
            let response = try await saved.recording {
                try await files.response(saving: engineRequest, for: page)
            }
            var found = DownloadHead(response, url: head.url, isUserGesture: isUserGesture)
            if found.name == nil, let view { found.name = await Self.nameInPage(of: url, in: view) }
            return (found, response.body)
        } onEnd: { [send] in
            send(.request(saved.ended($0, $1)))
        }
    }

    /// Returns the `download` attribute of a link to a URL in the page's document, because the engine does not report
    /// it.
    private static func nameInPage(of url: String, in view: any EngineView) async -> String? {
        guard let literal = try? JSONEncoder().encode(url) else { return nil }
        let script = """
            const url = \(String(decoding: literal, as: UTF8.self));
            const link = [...document.querySelectorAll('a[download]')].find(link => link.href.split('#')[0] === url);
            return link ? link.download.slice(0, 1000) : '';
            """
        let json = try? await withLimit(.seconds(1)) {
            try await view.scripting.evaluate(script, in: .isolated(name: "containerkit-downloads"))
        }
        guard let name = json.flatMap({ try? JSONDecoder().decode(String.self, from: Data($0.utf8)) }), !name.isEmpty
        else { return nil }
        return name
    }

    /// Saves the response to a document request if it is an attachment, or if the engine cannot show its type.
    /// - Parameters:
    ///   - response: the response.
    ///   - request: the request of the engine.
    ///   - isDocument: a Boolean value that indicates whether the request is for a document, of the page or of a frame.
    ///   - page: the page of the request.
    ///   - epoch: the value of ``epoch`` at the time of the request.
    /// - Returns: the response for the engine in place of the saved response, or `nil` if the response is not saved.
    ///   The engine does not show it, so the current document stays.
    package func divert(
        _ response: ResourceResponse, to request: EngineRequest, isDocument: Bool, of page: PageSession?,
        askedIn epoch: Int
    ) -> ResourceResponse? {
        guard isDocument, !response.isInterim, response.head.status.kind == .successful,
            ![204, 205].contains(response.head.status.code), let page, let open = pages[page.id],
            let current = host?.session(of: page.view), current.id == page.id
        else { return nil }
        let fields = response.head.headerFields
        let type = MediaType.essence(of: fields[.contentType] ?? "")
        // A type that a frame or an element cannot show is not a download.
        let isUnshown = request.isMainDocument && !type.isEmpty && open.view?.downloads?.canShow(type) == false
        guard ContentDisposition(fields[.contentDisposition]).isAttachment || isUnshown else { return nil }
        let url = host?.realURL(of: request.head.urlText) ?? request.head.urlText
        let isUserGesture = open.view?.prompts?.isUserGesture(for: request.head.urlText) ?? false
        let head = DownloadHead(response, url: url, isUserGesture: isUserGesture)
        offer(.response(response.body), head, of: current, askedIn: epoch)
        var provenance = response.provenance
        provenance.reason += "; saved"
        return ResourceResponse(
            head: HTTPResponse(
                status: .ok, headerFields: [.contentType: "application/octet-stream", .cacheControl: "no-store"]),
            body: .empty, provenance: provenance)
    }
}

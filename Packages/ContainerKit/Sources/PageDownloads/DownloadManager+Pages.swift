// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeMode
internal import SchemeRouter
internal import WebEngine
internal import WebSyntax

// What pages save.
extension Container {
    /// The downloads that ``PageDelegate/download(_:)`` said yes to and that are under way, the oldest first.
    public var downloads: [DownloadRequest] { downloadManager.requestsBeingSaved }

    /// How far a download is: where it is now, and then each change, of which one that reads slowly gets the newest alone. It
    /// ends with the download, whose end is told by ``ContainerEvent/download(_:_:)``; of one that is not known it ends at
    /// once.
    public func downloadProgress(of id: DownloadID) -> AsyncStream<DownloadProgress> {
        downloadManager.progress(of: id)
    }

    /// Ends a download, of which nothing is left. Where it is not under way, this does nothing.
    public func cancelDownload(_ id: DownloadID) {
        downloadManager.cancel(id)
    }

    /// Ends what pages have begun to save, and no answer has come to.
    func dropPendingDownloads() {
        for asker in askers.values { asker.dropPendingDownloads() }
    }

    /// Hears what a page saves, from its opening on. What comes when the view shows another page is nobody's.
    func listenToDownloads(of view: Engine.View, for page: PageID) {
        view.downloads?.onDownload = { [weak self, weak view] download in
            guard let self, let view, let session = sessions[view.id], session.id == page else {
                if case .engine(let download) = download { download.cancel() }
                return
            }
            switch download {
            case .engine(let download):
                var head = DownloadManager.Head(download.head)
                head.url = realURL(of: head.url)
                downloadManager.offer(.engine(download), head, of: session)
            case .named(let url, let isUserGesture): save(url, isUserGesture, of: session, in: view)
            }
        }
    }

    /// Saves what the page of a view names by a scheme of the container: by the way of all its requests.
    private func save(_ url: String, _ isUserGesture: Bool, of session: PageSession, in view: Engine.View) {
        let head = DownloadManager.Head(
            url: realURL(of: url), name: nil, mediaType: nil, length: nil, status: nil, isUserGesture: isUserGesture)
        guard var request = HTTPRequest(method: .get, urlText: url) else { return }
        request.headerFields[.accept] = "*/*"
        request.headerFields[.userAgent] = agents[session.id]
        let (path, hub) = (pipelines.customScheme.path, hub)
        let engineRequest = EngineRequest(head: request, view: view.id, isMainDocument: false)
        let saved = SavedRequest(RequestRecord(engineRequest, session: session, names: configuration.names))
        downloadManager.load(head, of: session) { [weak view] in
            let response = try await saved.recording {
                try await path.answer(saving: path.name(engineRequest, for: session))
            }
            var found = DownloadManager.Head(response, url: head.url, isUserGesture: isUserGesture)
            if found.name == nil, let view { found.name = await Self.nameInPage(of: url, in: view) }
            return (found, response.body)
        } onEnd: {
            hub.send(.request(saved.ended($0, $1)))
        }
    }

    /// The name that the page's own link gives to a URL. The engine does not say it; a link that is in no document has none.
    private static func nameInPage(of url: String, in view: Engine.View) async -> String? {
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

    /// Takes the answer to a document that is none: it is to be saved, or the engine could not show it. The engine gets one
    /// in its place that it does not show either, so that the page stays as it is.
    func diverted(
        _ response: ResourceResponse, from request: EngineRequest, _ named: RequestHandler.ResolvedRequest,
        of session: PageSession?,
        askedIn epoch: Int
    ) -> ResourceResponse? {
        guard named.isDocument, !response.isInterim, response.head.status.kind == .successful,
            ![204, 205].contains(response.head.status.code), let session, let asker = askers[session.id],
            let current = sessions[session.view], current.id == session.id
        else { return nil }
        let fields = response.head.headerFields
        let type = MediaType.essence(of: fields[.contentType] ?? "")
        // What a frame or an element cannot show is nothing to be saved.
        let isUnshown = request.isMainDocument && !type.isEmpty && !asker.canShow(type)
        guard ContentDisposition(fields[.contentDisposition]).isAttachment || isUnshown else { return nil }
        let url = realURL(of: request.head.urlText)
        let head = DownloadManager.Head(response, url: url, isUserGesture: asker.isGesture(request.head.urlText))
        downloadManager.offer(.answer(response.body), head, of: current, askedIn: epoch)
        var provenance = response.provenance
        provenance.reason += "; saved"
        return ResourceResponse(
            head: HTTPResponse(
                status: .ok, headerFields: [.contentType: "application/octet-stream", .cacheControl: "no-store"]),
            body: .empty, provenance: provenance)
    }

    /// What is asked of a page's view while its requests are answered.
    @MainActor
    struct Asker {
        let canShow: @MainActor (String) -> Bool
        let isGesture: @MainActor (String) -> Bool
        let dropPendingDownloads: @MainActor () -> Void

        init(_ view: Engine.View) {
            canShow = { [weak view] in view?.downloads?.canShow($0) ?? true }
            isGesture = { [weak view] in view?.prompts?.isUserGesture(for: $0) ?? false }
            dropPendingDownloads = { [weak view] in view?.downloads?.dropPendingDownloads() }
        }
    }
}

extension DownloadManager.Head {
    fileprivate init(_ head: EngineDownloadHead) {
        self.init(
            url: head.url, name: head.suggestedName, mediaType: head.mediaType, length: head.length,
            status: head.status, isUserGesture: head.isUserGesture)
    }

    fileprivate init(_ response: ResourceResponse, url: String, isUserGesture: Bool) {
        let fields = response.head.headerFields
        self.init(
            url: url, name: ContentDisposition(fields[.contentDisposition]).fileName, mediaType: fields[.contentType],
            length: response.body.length, status: response.head.status.code, isUserGesture: isUserGesture)
    }
}

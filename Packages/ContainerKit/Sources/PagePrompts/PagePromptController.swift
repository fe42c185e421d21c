// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import SchemeMode
internal import WebEngine
internal import WebSyntax
internal import WebViewPool

// What pages ask of the app.
extension Container {
    /// Answers what pages ask of the app; held weakly. Without one each request gets its safe default at once: no
    /// windows, no other schemes, no documents of hosts outside, no permissions, no downloads; dialogs are closed, and pages are left.
    /// What came of each is a ``ContainerEvent/pageRequest(_:_:)``.
    public var pageDelegate: (any PageDelegate)? {
        get { pageRequests.delegate }
        set { pageRequests.delegate = newValue }
    }

    /// Hears what a page asks, from its opening on.
    func listen(to view: Engine.View, for session: PageSession) {
        if let origin = WebOrigin(url: session.documentURL) {
            pageRequests.allow(origin.authority, for: session.id)
        }
        view.prompts?.onPrompt = { [weak self, weak view] prompt in
            guard let self, let view else { return }
            receive(prompt, from: view)
        }
        askers[session.id] = Asker(view)
        listenToDownloads(of: view, for: session.id)
    }

    /// A page ends: one that still shows a dialog leaves no view to others.
    func endRequests(of session: PageSession) {
        if pageRequests.hasDialog(session.id) { retire(session, because: .openDialog) }
        pageRequests.end(session.id)
        downloadManager.end(session.id)
        askers[session.id]?.dropPendingDownloads()
        askers[session.id] = nil
        agents[session.id] = nil
    }

    private func retire(_ session: PageSession, because reason: DiscardReason) {
        pool.retire(because: reason) { view, _ in view.id == session.view }
    }

    private func receive(_ prompt: EnginePrompt, from view: Engine.View) {
        guard let session = sessions[view.id] else { return }
        switch prompt.subject {
        case .newWindow(let url, let isUserGesture):
            let real = realURL(of: url)
            let isOfWeb = RealURL(real) != nil
            let request = LinkRequest(
                page: session, reason: isOfWeb || isOwn(real) ? .newWindow : .otherScheme, url: real,
                isUserGesture: isUserGesture)
            // A document of the page's own making can be shown nowhere else.
            guard isOfWeb || !isOwn(real) && LinkRequest.canLeave(real) else {
                return pageRequests.refuse(.link(request), of: session.id)
            }
            ask(request, prompt, view)
        case .otherScheme(let url, let isUserGesture):
            if isOwn(url) { return prompt.answer(.yes) }
            ask(
                LinkRequest(page: session, reason: .otherScheme, url: url, isUserGesture: isUserGesture), prompt, view
            )
        case .document(let url):
            let real = realURL(of: url)
            guard let origin = WebOrigin(url: real), ["http", "https"].contains(origin.scheme),
                !pageRequests.isInside(origin.authority, isSecure: origin.scheme == "https", for: session.id)
            else { return prompt.answer(.yes) }
            ask(LinkRequest(page: session, reason: .otherHost, url: real, isUserGesture: false), prompt, view)
        case .dialog(let kind, let message):
            let request = DialogRequest(
                page: session, kind: kind.cut, message: String(message.prefix(DialogKind.textLimit)))
            pageRequests.ask(.dialog(request), of: session.id, prompt) { prompt.answer($0.engineAnswer) }
        case .permission(let permissions, let requester):
            let request = PermissionRequest(page: session, permissions: permissions, requester: requester)
            pageRequests.ask(.permission(request), of: session.id, prompt) { prompt.answer($0.engineAnswer) }
        }
    }

    private func ask(_ request: LinkRequest, _ prompt: EnginePrompt, _ view: Engine.View) {
        let page = request.page
        let isLeaving = request.reason == .otherScheme
        guard request.url.utf8.count <= LinkRequest.lengthLimit, !isLeaving || LinkRequest.canLeave(request.url),
            !isLeaving || request.isUserGesture || pageRequests.options.asksWithoutGesture
        else { return pageRequests.refuse(.link(request), of: page.id) }
        pageRequests.ask(.link(request), of: page.id, prompt) { [weak self, weak view] answer in
            if answer == .link(.openHere), !isLeaving, let origin = WebOrigin(url: request.url) {
                self?.pageRequests.allow(origin.authority, for: page.id)
            }
            // The engine itself opens no windows, and loads no other schemes.
            prompt.answer(request.reason == .otherHost ? answer.engineAnswer : .no)
            guard let self, let view, request.reason == .newWindow, answer != .link(.cancel) else { return }
            retire(page, because: .openedWindow)
            if answer == .link(.openHere) { show(request.url, of: page, in: view) }
        }
    }

    /// Loads a URL in the view of a page, as the container names it there.
    private func show(_ url: String, of page: PageSession, in view: Engine.View) {
        Task { [weak self, weak view] in
            guard let self else { return }
            let mode: InterceptionMode =
                page.mode == .customScheme && self.mode(ofPageAt: url) != .customScheme ? .plain : page.mode
            guard let place = try? await place(of: url, in: mode), let view, sessions[view.id]?.id == page.id else {
                return
            }
            view.loading.load(place)
        }
    }

    private func isOwn(_ url: String) -> Bool {
        let scheme = LinkRequest.scheme(of: url)
        return scheme == configuration.names.secure || scheme == configuration.names.insecure
    }
}

extension LinkRequest {
    /// In UTF-8.
    static let lengthLimit = 16_384
    /// What the engine makes itself, and what leads to files or into a page: none of it is to leave the app.
    private static let kept: Set<String> = [
        "about", "blob", "data", "file", "filesystem", "javascript", "resource", "view-source", "webkit",
    ]

    static func scheme(of url: String) -> String {
        url.contains(":") ? url.prefix { $0 != ":" }.lowercased() : ""
    }

    /// Whether a URL may be given to the host, to be opened outside of the web.
    static func canLeave(_ url: String) -> Bool {
        let scheme = scheme(of: url)
        return !kept.contains(scheme)
            && URLScheme.isValid(scheme.utf8)
    }
}

extension DialogKind {
    static let textLimit = 10_000

    fileprivate var cut: DialogKind {
        if case .prompt(let text) = self { .prompt(defaultText: String(text.prefix(Self.textLimit))) } else { self }
    }
}

extension PageAnswer {
    fileprivate var engineAnswer: EnginePrompt.Answer {
        switch self {
        case .link(.openHere), .permission(.allow), .dialog(.accept(text: nil)): .yes
        case .dialog(.accept(let text?)): .text(text)
        case .link, .permission, .dialog(.cancel), .download: .no
        }
    }
}

extension DiscardReason {
    /// The page opened a window, or something in place of one.
    static let openedWindow = DiscardReason(retired: "opened-window")
    /// The page showed a dialog when it was closed.
    static let openDialog = DiscardReason(retired: "open-dialog")
}

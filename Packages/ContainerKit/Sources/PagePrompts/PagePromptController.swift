// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import ResourceLoading
package import SchemeMode
internal import SchemeRouter
package import WebEngine
package import WebViewPool

/// The part of the container that prompts use.
///
/// Isolation: the main actor.
@MainActor
package protocol PagePromptHost: AnyObject {
    /// The delegate of the app, or `nil`.
    var promptDelegate: (any PagePromptDelegate)? { get }

    /// Returns the page that a view shows, or `nil` if there is none.
    func session(of view: ViewID) -> PageSession?

    /// Returns the real URL of a URL in the engine.
    func realURL(of place: String) -> String

    /// Returns a Boolean value that indicates whether the container can open a page at a real URL.
    func canOpen(_ url: String) -> Bool

    /// Returns the URL in the engine for a real URL that the view of a page must load.
    func place(of url: String, for page: PageSession) async throws -> String

    /// Ends the view of a page when the page is closed, so that the view is not reused.
    func retire(_ page: PageSession, because reason: DiscardReason)
}

/// A prompt of a page with the decision about it.
package enum PagePromptOutcome: Sendable {
    case link(LinkRequest, LinkDecision)
    case dialog(DialogRequest, DialogDecision)
    case permission(PermissionRequest, PermissionDecision)

    /// The page of the prompt.
    package var page: PageID {
        switch self {
        case .link(let request, _): request.page.id
        case .dialog(let request, _): request.page.id
        case .permission(let request, _): request.page.id
        }
    }
}

/// The controller that sends the prompts of pages to the app and applies the decisions.
///
/// Isolation: the main actor.
@MainActor
package final class PagePromptController {
    /// The part of the container that prompts use; retained.
    package var host: (any PagePromptHost)?
    /// The queue of questions of pages, including those of other features.
    package let questions: PageQuestionQueue
    private let options: PageRequestOptions
    private let names: SchemeNames
    private let send: @MainActor (PagePromptOutcome, PageRequestEnding) -> Void
    /// The allowed hosts of each page: the host of the opened URL, and the hosts that the app has allowed.
    private var allowed: [PageID: Set<String>] = [:]

    /// The maximum number of allowed hosts of one page.
    private static let hostLimit = 64

    /// Creates a controller without a host.
    /// - Parameters:
    ///   - options: the rules and limits.
    ///   - clock: the clock of the time limits.
    ///   - names: the custom schemes of the container.
    ///   - send: a closure that receives each prompt after its end.
    package init(
        _ options: PageRequestOptions, clock: any Clock<Duration>, names: SchemeNames,
        send: @escaping @MainActor (PagePromptOutcome, PageRequestEnding) -> Void
    ) {
        self.options = options
        self.names = names
        self.send = send
        questions = PageQuestionQueue(options, clock: clock)
    }

    // MARK: Pages

    /// Receives the prompts of a page that opens in a view.
    package func begin(_ page: PageSession, in view: any EngineView) {
        if let origin = WebOrigin(url: page.documentURL) { allow(origin.authority, for: page.id) }
        view.prompts?.onPrompt = { [weak self, weak view] prompt in
            guard let self, let view else { return }
            receive(prompt, from: view)
        }
    }

    /// Returns a Boolean value that indicates whether a page waits for a decision of the app.
    package func isWaiting(_ page: PageID) -> Bool { questions.isWaiting(page) }

    /// Ends the prompts of a page that navigates to another document.
    package func release(_ page: PageID) { questions.release(page) }

    /// Ends the prompts of a page that closes. If a dialog of the page is open, its view is discarded.
    package func end(_ page: PageSession) {
        if questions.isBlocked(page.id) { host?.retire(page, because: .openDialog) }
        questions.end(page.id)
        allowed[page.id] = nil
    }

    // MARK: Hosts

    private func allow(_ authority: String, for page: PageID) {
        guard allowed[page, default: []].count < Self.hostLimit else { return }
        allowed[page, default: []].insert(authority)
    }

    /// Returns a Boolean value that indicates whether a page may show documents of an origin without asking the app.
    private func isInside(_ origin: WebOrigin, for page: PageID) -> Bool {
        guard let hosts = options.hosts else { return true }
        return allowed[page]?.contains(origin.authority) == true
            || hosts.contains { $0.matches(origin.authority, defaultPort: origin.scheme == "https" ? 443 : 80) }
    }

    private func isOwn(_ url: String) -> Bool {
        let scheme = LinkRequest.scheme(of: url)
        return scheme == names.secure || scheme == names.insecure || names.aliases.contains(scheme)
    }

    // MARK: Prompts

    private func receive(_ prompt: EnginePrompt, from view: any EngineView) {
        guard let host, let page = host.session(of: view.id) else { return }
        switch prompt.subject {
        case .newWindow(let url, let isUserGesture):
            let real = host.realURL(of: url)
            let isOfWeb = host.canOpen(real)
            let request = LinkRequest(
                page: page, reason: isOfWeb || isOwn(real) ? .newWindow : .otherScheme, url: real,
                isUserGesture: isUserGesture)
            // Another view cannot show a document that the page has created itself.
            guard isOfWeb || !isOwn(real) && LinkRequest.canLeave(real) else { return refuse(request) }
            sendQuestion(request, prompt, view)
        case .otherScheme(let url, let isUserGesture):
            if isOwn(url) { return prompt.answer(.yes) }
            sendQuestion(
                LinkRequest(page: page, reason: .otherScheme, url: url, isUserGesture: isUserGesture), prompt, view)
        case .document(let url):
            let real = host.realURL(of: url)
            guard let origin = WebOrigin(url: real), ["http", "https"].contains(origin.scheme),
                !isInside(origin, for: page.id)
            else { return prompt.answer(.yes) }
            sendQuestion(LinkRequest(page: page, reason: .otherHost, url: real, isUserGesture: false), prompt, view)
        case .dialog(let kind, let message):
            let request = DialogRequest(
                page: page, kind: kind.truncated, message: String(message.prefix(DialogKind.textLimit)))
            questions.send(request, of: page.id, by: host.promptDelegate, for: prompt) { [send] decision, ending in
                prompt.answer(decision.engineAnswer)
                send(.dialog(request, decision), ending)
            }
        case .permission(let permissions, let requester):
            let request = PermissionRequest(page: page, permissions: permissions, requester: requester)
            questions.send(request, of: page.id, by: host.promptDelegate, for: prompt) { [send] decision, ending in
                prompt.answer(decision == .allow ? .yes : .no)
                send(.permission(request, decision), ending)
            }
        }
    }

    private func sendQuestion(_ request: LinkRequest, _ prompt: EnginePrompt, _ view: any EngineView) {
        let isLeaving = request.reason == .otherScheme
        guard request.url.utf8.count <= LinkRequest.lengthLimit, !isLeaving || LinkRequest.canLeave(request.url),
            !isLeaving || request.isUserGesture || options.reportsLinksWithoutGesture
        else { return refuse(request) }
        questions.send(request, of: request.page.id, by: host?.promptDelegate, for: prompt) {
            [weak self, weak view, send] decision, ending in
            self?.apply(decision, to: request, prompt, view)
            send(.link(request, decision), ending)
        }
    }

    private func apply(
        _ decision: LinkDecision, to request: LinkRequest, _ prompt: EnginePrompt, _ view: (any EngineView)?
    ) {
        if decision == .openHere, request.reason != .otherScheme, let origin = WebOrigin(url: request.url) {
            allow(origin.authority, for: request.page.id)
        }
        // The engine itself neither opens windows nor loads other schemes.
        prompt.answer(request.reason == .otherHost && decision == .openHere ? .yes : .no)
        guard let host, let view, request.reason == .newWindow, decision != .cancel else { return }
        host.retire(request.page, because: .openedWindow)
        if decision == .openHere { load(request.url, of: request.page, in: view) }
    }

    /// Reports a link that the app is not asked about.
    private func refuse(_ request: LinkRequest) {
        send(.link(request, request.safeAnswer), .ruledOut)
    }

    /// Loads a real URL in the view of a page, if the view still shows that page.
    private func load(_ url: String, of page: PageSession, in view: any EngineView) {
        Task { [weak host, weak view] in
            guard let host, let place = try? await host.place(of: url, for: page), let view,
                host.session(of: view.id)?.id == page.id
            else { return }
            view.loading.load(place)
        }
    }
}

extension DialogDecision {
    fileprivate var engineAnswer: EnginePrompt.Answer {
        switch self {
        case .cancel: .no
        case .accept(text: nil): .yes
        case .accept(let text?): .text(text)
        }
    }
}

extension DiscardReason {
    /// The page opened a window, or a URL in its own view instead of a window.
    static let openedWindow = DiscardReason(retired: "opened-window")
    /// The page showed a dialog when it was closed.
    static let openDialog = DiscardReason(retired: "open-dialog")
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import HTTPTypes
    internal import WebEngine
    internal import WebKit

    /// A decision on a navigation, which WebKit requires once. It is a cancellation if nothing else is decided.
    @MainActor
    final class PolicyDecision {
        /// A Boolean value that indicates whether the navigation is one of the main frame.
        let isOfPage: Bool
        private let reply: CompletionGuard<WKNavigationActionPolicy>
        /// The task that decides.
        var task: Task<Void, Never>?

        init(isOfPage: Bool, _ handler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void) {
            self.isOfPage = isOfPage
            reply = CompletionGuard(otherwise: .cancel, handler)
        }

        deinit { task?.cancel() }

        /// Decides. Only the first call has an effect.
        func settle(_ policy: WKNavigationActionPolicy) { reply.complete(policy) }
    }

    extension WKWebViewView {
        /// Decides on a navigation: by its scheme, as a download, or as a document.
        func decide(
            _ action: WKNavigationAction,
            _ handler: @escaping @MainActor @Sendable (WKNavigationActionPolicy) -> Void
        ) {
            let isOfPage = action.targetFrame?.isMainFrame == true
            let decision = PolicyDecision(isOfPage: isOfPage, handler)
            // Without a target, WebKit asks for a new window next.
            guard webView != nil, let url = action.request.url, action.targetFrame != nil else {
                return decision.settle(hasEnded ? .cancel : .allow)
            }
            enginePrompts.decide(action) { [weak self] isAllowed in
                guard let self, isAllowed, !hasEnded else {
                    decision.settle(.cancel)
                    if isOfPage, let self, location.isLoadIssued { failLoad("the app does not allow the URL") }
                    return
                }
                if let policy = engineDownloads.policy(for: action) { return decision.settle(policy) }
                decideDocument(action, at: url, decision)
            }
        }

        /// Decides on a navigation to a document: after the wait of the app for a form, and with the document of the
        /// app.
        private func decideDocument(_ action: WKNavigationAction, at url: URL, _ decision: PolicyDecision) {
            let isOfPage = decision.isOfPage
            if isOfPage, isFragmentNavigation(action, to: url) {
                if isOfAdapter(action) { endScroll() }
                return decision.settle(.allow)
            }
            if isOfPage, given.takeArrival(action) { return decision.settle(.allow) }
            // The load for which the app is asked replaces the navigation of the page.
            if isOfPage, location.isLoadWaiting, !location.isLoadIssued { return decision.settle(.cancel) }
            if isOfPage {
                cancelDecisions(ofPageOnly: true)
                stopReturn()
            }
            let isForm = action.navigationType == .formSubmitted || action.navigationType == .formResubmitted
            let wait = isForm ? formWait?(url.absoluteString) : nil
            let navigation = isOfPage ? documentNavigation(action, to: url) : nil
            if navigation != nil, given.uncommitted >= GivenDocuments.limit {
                decision.settle(.cancel)
                return failRepeatedDocument(at: url.absoluteString)
            }
            guard wait != nil || navigation != nil else { return allow(decision, action) }
            lastDecision += 1
            decisions[lastDecision] = decision
            decision.task = Task { [weak self, answer = given.answer, number = lastDecision] in
                await wait?()
                var document: EngineDocument?
                var failure: EngineError?
                do throws(EngineError) {
                    if let navigation, !Task.isCancelled { document = try await answer?(navigation) }
                } catch { failure = error }
                guard let self, let decision = decisions.removeValue(forKey: number) else { return }
                if let failure {
                    decision.settle(.cancel)
                    return send(.failed(url: url.absoluteString, error: failure))
                }
                guard let document else { return allow(decision, action) }
                // The cancelled navigation adds no history entry. The document in its place adds its own.
                decision.settle(.cancel)
                if !give(document) { send(.stopped(url: url.absoluteString)) }
            }
        }

        /// Decides on a response: as a download, or as a document.
        func decide(
            _ response: WKNavigationResponse,
            _ handler: @escaping @MainActor @Sendable (WKNavigationResponsePolicy) -> Void
        ) {
            guard !hasEnded else { return handler(.cancel) }
            if let policy = engineDownloads.policy(for: response) { return handler(policy) }
            enginePrompts.decide(response) { [weak self] isAllowed in
                guard let self, isAllowed, !hasEnded else { return handler(.cancel) }
                if !response.isForMainFrame, let url = response.response.url, GivenDocuments.isCovered(url) {
                    send(.frameLoaded(url: url.absoluteString))
                }
                handler(.allow)
            }
        }

        /// Ends the decisions that wait, with a cancellation of their navigations.
        func cancelDecisions(ofPageOnly: Bool = false) {
            for (number, decision) in decisions where decision.isOfPage || !ofPageOnly {
                decisions[number] = nil
                decision.task?.cancel()
                decision.settle(.cancel)
            }
        }

        /// Lets WebKit load a document itself.
        private func allow(_ decision: PolicyDecision, _ action: WKNavigationAction) {
            if decision.isOfPage, let url = action.request.url?.absoluteString {
                location.expectDocument(at: url)
                methods.request(url, method: action.request.httpMethod)
                // The script of the given document concerns that document only.
                removeDocumentScript()
            }
            decision.settle(.allow)
        }

        /// Returns a Boolean value that indicates whether the adapter has requested a navigation to a fragment. A
        /// script may change the fragment at the same time.
        private func isOfAdapter(_ action: WKNavigationAction) -> Bool {
            let isArriving = given.arrival.map { !$0.isAllowed } ?? false
            guard action.navigationType == .other, location.isLoadIssued || isArriving,
                let requested = given.arrival?.document.url ?? location.requestedURL
            else { return false }
            return URL(string: requested)?.fragment == action.request.url?.fragment
        }

        /// Ends the load that the adapter has requested, because it scrolls to a fragment of the document.
        private func endScroll() {
            if given.arrival != nil {
                given.arrival = nil
                restoreDocumentScript()
            }
            if let url = location.scroll() { send(.finished(url: url)) }
            stopReturn()
        }

        /// Returns a Boolean value that indicates whether a navigation scrolls to a fragment of the document (HTML,
        /// section "Navigate", step for fragments). WebKit asks for it, and reports neither its start nor its commit.
        ///
        /// `WKWebView.url` may be that of a navigation in progress. Believed: the request of the target frame has the
        /// URL of its document, with later changes by `history.pushState`. A device shows it by manual check 9.
        private func isFragmentNavigation(_ action: WKNavigationAction, to url: URL) -> Bool {
            guard url.fragment != nil, (action.request.httpMethod ?? "GET") == "GET",
                action.navigationType != .reload, action.navigationType != .backForward,
                let current = action.targetFrame?.request.url?.absoluteString
            else { return false }
            // WebKit loads the URL of the current history entry again, if the app requests it.
            guard isOfAdapter(action) ? current != url.absoluteString : !location.isLoadWaiting else { return false }
            return ViewLocation.withoutFragment(current) == ViewLocation.withoutFragment(url.absoluteString)
        }
    }
#endif

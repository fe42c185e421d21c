// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    public import Foundation
    public import HTTPTypes
    public import WebEngine
    internal import WebKit

    extension WKWebViewView {
        /// The last load that the app started.
        public var lastLoad: LoadToken? { location.lastLoad }

        /// A Boolean value that indicates whether the current document was requested with a method other than GET.
        public var isPosted: Bool { methods.isPosted }

        /// Returns a Boolean value that indicates whether the navigation in progress to a URL has a method other than
        /// GET.
        public func isPosting(to url: String) -> Bool { methods.isPosting(to: url) }

        /// Starts to load a URL. An earlier load in progress sends no more signals.
        ///
        /// A URL that differs from that of the document in its fragment alone scrolls the document. The signal
        /// `finished` ends such a load; it has no start and no commit.
        ///
        /// In document mode the app is asked for the document before WebKit, so that WebKit opens no connection for a
        /// document that it need not load.
        public func load(_ url: String) {
            guard webView != nil else { return }
            record(url)
            begin(url, isReload: false) { $0.load($1) }
        }

        /// `true`: WebKit sends the method, the header fields and the body of a request.
        public var sendsBodies: Bool { true }

        /// Starts to load a URL by POST. The app is not asked for the document.
        public func post(_ body: Data, fields: HTTPFields, to url: String) {
            guard webView != nil else { return }
            record(url)
            begin(url, isReload: false, isPost: true) { web, request in
                var request = request
                request.httpMethod = "POST"
                request.httpBody = body
                for field in fields { request.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
                return web.load(request)
            }
        }

        /// Stops the load in progress.
        public func stopLoading() {
            guard let webView else { return }
            loadTask?.cancel()
            cancelDecisions()
            (given.arrival, given.uncommitted) = (nil, 0)
            webView.stopLoading()
            // WebKit reports nothing for a load that has not started.
            if let url = location.stop() {
                send(.failed(url: url, error: EngineError(.loadFailed, "the load was stopped", at: url)))
            }
            stopReturn()
        }

        /// Reloads the document of the view by GET, in its history entry.
        ///
        /// WebKit repeats the method of a posted document on a reload. Such a document is therefore loaded by its URL,
        /// which WebKit treats like a reload because the current history entry has this URL.
        public func reload(_ url: String) {
            guard webView != nil else { return }
            let hasDocument = errorPageURL == nil && !["", ViewLocation.blank].contains(location.documentURL)
            let target = hasDocument ? location.documentURL : errorPageURL ?? url
            let isNative = hasDocument && !isPosted
            record(target)
            begin(target, isReload: hasDocument) { web, request in
                (isNative ? web.reload() : nil) ?? web.load(request)
            }
        }

        /// Shows an HTML page of the app with an opaque origin. It has no history entry, so that the navigation to the
        /// failed URL has none either: reload(_:) loads the URL, and Back leads to the entry before the last
        /// document.
        public func showErrorPage(_ html: String, for url: String) {
            guard let webView else { return }
            record(url)
            errorPageURL = url
            removeDocumentScript()
            location.issue(webView.loadHTMLString(html, baseURL: nil))
        }

        /// Sets the user agent from the next load on.
        ///
        /// If the value appends a token to the engine's own user agent, which only a page reports, the first such load
        /// of the engine waits for a script in the view.
        public func setUserAgent(_ agent: UserAgent) {
            guard let webView else { return }
            let text = agent.knownText(of: shared.ownUserAgent.text)
            webView.customUserAgent = agent == .engine ? nil : text
            pendingUserAgent = agent == .engine || text != nil ? nil : agent
        }

        /// Records a load of the app, which replaces all navigations.
        private func record(_ url: String) {
            loadTask?.cancel()
            cancelDecisions()
            (given.arrival, given.failedReturn, given.uncommitted) = (nil, nil, 0)
            location.recordLoad(for: url)
            hasProcess = true
            errorPageURL = nil
        }

        /// Begins the load that was recorded last: by the document of the app if it gives one, otherwise by WebKit.
        private func begin(
            _ url: String, isReload: Bool, isPost: Bool = false,
            _ native: @escaping @MainActor (WKWebView, URLRequest) -> WKNavigation?
        ) {
            let target = URL(string: url)
            let isScroll = !isReload && isFragment(url)
            let answer = GivenDocuments.isCovered(target) && !isScroll && !isPost ? given.answer : nil
            if let target, answer == nil, pendingUserAgent == nil { return issue(target, native) }
            let token = location.lastLoad
            loadTask = Task { [weak self] in
                await self?.applyPendingUserAgent()
                let navigation = EngineNavigation(
                    to: url, fields: self?.documentFields ?? [:], isReload: isReload, isOfApp: true,
                    mayBeOfFrame: false)
                var document: EngineDocument?
                var failure: EngineError?
                do throws(EngineError) { document = try await answer?(navigation) } catch { failure = error }
                guard let self, !Task.isCancelled, location.lastLoad == token, location.isLoadWaiting else { return }
                guard let target else { return failLoad("not a URL") }
                if let failure { return failLoad(failure.message, failure.code) }
                if let document, give(document) { return }
                issue(target, native)
            }
        }

        /// Returns a Boolean value that indicates whether a load scrolls to a fragment of the document. The last entry
        /// of the history has the URL of the document, with later changes by `history.pushState`.
        private func isFragment(_ url: String) -> Bool {
            guard url.utf8.contains(UInt8(ascii: "#")), !["", ViewLocation.blank].contains(location.documentURL),
                let shown = webView?.backForwardList.currentItem?.url.absoluteString, shown != url
            else { return false }
            return ViewLocation.withoutFragment(shown) == ViewLocation.withoutFragment(url)
        }

        private func issue(_ url: URL, _ native: @MainActor (WKWebView, URLRequest) -> WKNavigation?) {
            guard let webView else { return }
            guard let navigation = native(webView, URLRequest(url: url)) else {
                return failLoad("the engine does not load the URL")
            }
            location.issue(navigation)
        }

        /// Ends the load of the app that WebKit has not started, and of which it reports nothing.
        func failLoad(_ reason: String, _ code: EngineError.Code = .loadFailed) {
            guard let url = location.stop() else { return }
            send(.failed(url: url, error: EngineError(code, reason, at: url)))
        }

        /// The fields of a request for a document that WebKit does not make.
        private var documentFields: HTTPFields {
            var fields: HTTPFields = [.accept: GivenDocuments.accept]
            fields[.userAgent] = webView?.customUserAgent ?? shared.ownUserAgent.text
            return fields
        }

        /// Applies a user agent that waits for the engine's own. If no page reports that within 5 seconds, the view has
        /// the engine's own user agent.
        private func applyPendingUserAgent() async {
            guard pendingUserAgent != nil else { return }
            await readOwnUserAgent()
            if let agent = pendingUserAgent, shared.ownUserAgent.text != nil { setUserAgent(agent) }
        }

        /// Reads the engine's own user agent, if it is not known and the view has no other.
        func readOwnUserAgent() async {
            guard shared.ownUserAgent.text == nil, webView?.customUserAgent == nil else { return }
            let json = try? await withLimit(Self.scriptLimit) { [weak self] in
                try await self?.evaluate("return navigator.userAgent", in: .adapter)
            }
            guard let json, let text = try? ScriptValue.value(of: json) as? String, !text.isEmpty else { return }
            shared.ownUserAgent.text = text
        }
    }
#endif

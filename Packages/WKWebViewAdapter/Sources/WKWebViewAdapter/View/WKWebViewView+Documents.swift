// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import HTTPTypes
    public import WebEngine
    internal import WebKit

    /// The documents that the app gives to a view.
    ///
    /// WebKit has no public call that gives a document to a navigation in progress. The navigation is cancelled, and
    /// `loadSimulatedRequest` loads the document as the response to a request for its URL. The history then has these
    /// entries:
    /// - A link, a script or the app: the one entry of the simulated load. `location.replace` adds an entry too,
    ///   because WebKit does not report that it replaces one.
    /// - A reload: no entry. WebKit replaces the current entry by a load of its URL (`FrameLoadType::Same`).
    /// - Back and forward: a cancelled navigation does not move in the list, and a simulated load would add an entry
    ///   and remove those that follow. WebKit therefore loads such a document itself: from its back-forward cache, its
    ///   HTTP cache or the network. Only if that fails, the app is asked, and its document gets a new entry.
    struct GivenDocuments {
        /// A document that the view has begun to load.
        struct Arrival {
            let navigation: WKNavigation
            let document: EngineDocument
            /// A Boolean value that indicates whether WebKit has asked for its policy.
            var isAllowed = false
        }

        /// The maximum number of given documents without a commit. WebKit may ask for the policy of a given document in
        /// another way than `takeArrival(_:)` expects; the app would then be asked and give it without an end.
        static let limit = 20

        var answer: (@MainActor (EngineNavigation) async throws(EngineError) -> EngineDocument?)?
        var arrival: Arrival?
        /// The number of given documents since the last commit, failure or load of the app.
        var uncommitted = 0
        /// The navigation back or forward that WebKit performs itself.
        var returning: EngineNavigation?
        /// The URL of the navigation back or forward that has failed in WebKit and whose document the app gives; `nil`
        /// if there is none. Its start was reported, and its end was not.
        var failedReturn: String?
        /// The script of the given document that is shown or arrives.
        var script: WKUserScript?
        /// The script of the shown document while another one arrives; see `restoreDocumentScript()`.
        var former: FormerScript?

        struct FormerScript {
            let script: WKUserScript?
        }

        /// The `Accept` of WebKit for documents.
        static let accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

        /// Returns a Boolean value that indicates whether the app is asked for documents of a URL.
        static func isCovered(_ url: URL?) -> Bool { ["http", "https"].contains(url?.scheme?.lowercased()) }

        /// Returns a Boolean value that indicates whether a navigation is that of the given document. The URLs are not
        /// compared, because WebKit normalizes them.
        @MainActor mutating func takeArrival(_ action: WKNavigationAction) -> Bool {
            guard let arrival, !arrival.isAllowed, (action.request.httpMethod ?? "GET") == "GET",
                action.navigationType == .other || action.navigationType == .reload
            else { return false }
            self.arrival?.isAllowed = true
            return true
        }

        /// Returns a Boolean value that indicates whether the start of a navigation was reported already.
        mutating func takeReplacement(_ navigation: WKNavigation?) -> Bool {
            guard let arrival, arrival.navigation === navigation else { return false }
            self.arrival?.isAllowed = true
            defer { failedReturn = nil }
            return failedReturn != nil
        }

        /// Records the commit of a document.
        /// - Returns: the given document, if it is that.
        mutating func commit(_ navigation: WKNavigation?) -> EngineDocument? {
            (returning, former, uncommitted) = (nil, nil, 0)
            guard let arrival, arrival.navigation === navigation else { return nil }
            self.arrival = nil
            return arrival.document
        }
    }

    extension WKWebViewView {
        /// Sets a closure that is asked for the documents of navigations of the main frame by GET. WebKit reports the
        /// frame of a navigation, so that the app is not asked for documents of frames.
        public func answerNavigations(
            _ answer: @escaping @MainActor (EngineNavigation) async throws(EngineError) -> EngineDocument?
        ) {
            if webView != nil { given.answer = answer }
        }

        /// Returns the navigation for which the app is asked; `nil` if WebKit performs it itself.
        func documentNavigation(_ action: WKNavigationAction, to url: URL) -> EngineNavigation? {
            given.returning = nil
            guard given.answer != nil, GivenDocuments.isCovered(url), (action.request.httpMethod ?? "GET") == "GET"
            else { return nil }
            // The app was asked before WebKit got its load.
            guard !location.isLoadIssued else { return nil }
            var fields = HTTPFields(action.request.allHTTPHeaderFields ?? [:])
            fields[.cookie] = nil
            if fields[.accept] == nil { fields[.accept] = GivenDocuments.accept }
            if fields[.userAgent] == nil {
                fields[.userAgent] = webView?.customUserAgent ?? shared.ownUserAgent.text
            }
            let navigation = EngineNavigation(
                to: url.absoluteString, fields: fields, isReload: action.navigationType == .reload, isOfApp: false,
                mayBeOfFrame: false)
            guard action.navigationType != .backForward else {
                given.returning = navigation
                return nil
            }
            return navigation
        }

        /// Begins to show a document of the app.
        /// - Returns: `false` if the document has no valid URL.
        func give(_ document: EngineDocument) -> Bool {
            guard let webView, let url = URL(string: document.url),
                let response = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: "HTTP/1.1",
                    headerFields: ["Content-Type": "text/html; charset=utf-8"])
            else { return false }
            setDocumentScript(document.script)
            let navigation = webView.loadSimulatedRequest(
                URLRequest(url: url), response: response, responseData: Data(document.html.utf8))
            given.arrival = .init(navigation: navigation, document: document)
            given.uncommitted += 1
            methods.end()
            location.issue(navigation)
            return true
        }

        /// Asks the app for the document of a navigation back or forward that has failed in WebKit.
        /// - Returns: `true` if the app is asked. The failure is reported later if it has no document.
        func giveReturn(after failure: LoadFailure) -> Bool {
            guard let returning = given.returning, let answer = given.answer else { return false }
            given.returning = nil
            given.failedReturn = returning.url
            loadTask?.cancel()
            loadTask = Task { [weak self, token = location.lastLoad] in
                var failure = failure
                var document: EngineDocument?
                do throws(EngineError) { document = try await answer(returning) } catch {
                    failure = LoadFailure(kind: .failed, error: error)
                }
                guard let self, !Task.isCancelled, location.lastLoad == token, !location.isNavigating else { return }
                if let document, give(document) { return }
                given.failedReturn = nil
                report(failure, .other)
            }
            return true
        }

        /// Ends the navigation back or forward whose document the app gives: the app stops it, or another navigation
        /// replaces it. WebKit has ended it before, and reports nothing.
        func stopReturn() {
            guard let url = given.failedReturn else { return }
            given.failedReturn = nil
            loadTask?.cancel()
            send(.stopped(url: url))
        }

        /// Ends the load of a document that WebKit does not show, although the app has given it repeatedly.
        func failRepeatedDocument(at url: String) {
            (given.arrival, given.uncommitted) = (nil, 0)
            methods.end()
            restoreDocumentScript()
            let url = location.abandon() ?? url
            let message = "the engine does not show the document of the app (limit \(GivenDocuments.limit) attempts)"
            send(.failed(url: url, error: EngineError(.loadFailed, message, at: url)))
        }

        // MARK: The script of a document

        private func setDocumentScript(_ source: String) {
            keepScript()
            given.script =
                source.isEmpty
                ? nil
                : WKUserScript(source: source, injectionTime: .atDocumentStart, forMainFrameOnly: false, in: .page)
            applyScripts()
        }

        private func keepScript() {
            given.former = given.former ?? GivenDocuments.FormerScript(script: given.script)
        }

        /// Removes the script of the given document, before WebKit loads another document.
        func removeDocumentScript() {
            guard given.script != nil else { return }
            keepScript()
            given.script = nil
            applyScripts()
        }

        /// Adds the script of the shown document again for its later frames, after the other document has failed.
        func restoreDocumentScript() {
            guard let former = given.former else { return }
            (given.script, given.former) = (former.script, nil)
            applyScripts()
        }

        /// Replaces the scripts of the configuration, because WebKit cannot remove a single one.
        func applyScripts() {
            guard let controller = webView?.configuration.userContentController else { return }
            controller.removeAllUserScripts()
            for script in userScripts { controller.addUserScript(script) }
            // The last one: it runs after those of the app, like a script that is added for the document.
            if let script = given.script { controller.addUserScript(script) }
        }
    }
#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation
    internal import HTTPTypes

    /// The navigations of a view whose documents the app gives, and the document that is about to be shown.
    ///
    /// The engine has no call that gives a document to a navigation in progress. Measured with WebKitGTK 2.50: if the
    /// navigation fails and the view loads alternate HTML for the failed URL before `load-failed` returns, the document
    /// takes the place of the navigation. The history then has the entries of the navigation, also for
    /// `location.replace`, back and forward. Content rules that block documents of the top frame let a navigation fail
    /// without a request. They also distinguish the navigations of frames, which `decide-policy` does not: a frame is
    /// not blocked and loads by itself.
    struct GivenDocuments {
        /// A blocked navigation.
        struct Pending {
            /// The document in its place, or the error with which it fails.
            let result: Result<EngineDocument, EngineError>
            /// A Boolean value that indicates whether the navigation returns to a document of the history, so that its
            /// scroll position is restored.
            let isReturn: Bool
            /// The `Referer` of the navigation; `nil` if there was none.
            let referrer: String?
        }

        /// The closure of ``WebKitGTKView/answerNavigations(_:)``.
        typealias Answer = @MainActor (EngineNavigation) async throws(EngineError) -> EngineDocument?

        /// Content rules that block each document of the top frame.
        static let blockingRules = """
            [{"trigger":{"url-filter":".*","resource-type":["document"],"load-context":["top-frame"]},\
            "action":{"type":"block"}}]
            """

        /// Returns content rules that block the document of a URL in the view and in its frames.
        static func blockingRules(of url: String) -> String {
            let text = ViewLocation.withoutFragment(url)
            let pattern = text.reduce(into: "^") { pattern, letter in
                if !letter.isLetter, !letter.isNumber { pattern.append("\\") }
                pattern.append(letter)
            }
            // A string can always be encoded.
            let json = (try? JSONEncoder().encode(pattern + "(#.*)?$")).map { String(decoding: $0, as: UTF8.self) }
            return """
                [{"trigger":{"url-filter":\(json ?? "\"\""),"url-filter-is-case-sensitive":true,\
                "resource-type":["document"]},"action":{"type":"block"}}]
                """
        }

        /// Returns the result of the app for a navigation; `nil` if the engine loads the document itself.
        @MainActor
        static func result(of navigation: EngineNavigation, by answer: Answer) async
            -> Result<EngineDocument, EngineError>?
        {
            do throws(EngineError) {
                return try await answer(navigation).map { .success($0) }
            } catch {
                return .failure(error)
            }
        }

        var answer: Answer?
        /// The tasks that load the documents of navigations, by number.
        var tasks: [Int: Task<Void, Never>] = [:]
        var lastTask = 0
        /// The number of the last task when the view last began to load a document. Earlier navigations of the view are
        /// replaced.
        var lastReplacedTask = 0
        /// The documents of blocked navigations by the URL of the navigation, until the next document is shown. Those
        /// of frames are removed when the frame has its own.
        var pending: [String: Pending] = [:]
        /// The states of the last documents by URL, newest last.
        var states: [DocumentState] = []
        /// A Boolean value that indicates whether the app has reloaded the document, and the load has not started.
        /// After the end of the web process, the engine does not report a reload.
        var isReload = false
        /// The number of the task that loads a document without a navigation; `nil` if there is none.
        var directTask: Int?
        /// The URL that the app has loaded and whose document it does not give, until the engine asks for it.
        var refusedURL: String?
        /// The blocking rules, while the view has them.
        var rules: String?
        /// A Boolean value that indicates whether the view has begun to load the given document, and the engine's own
        /// signal of the start is missing.
        var isStarting = false
        /// The URL of the given document until its commit.
        var loadingURL: String?
        /// The scripts of the current document: that of the app, and that of the adapter.
        var scripts: [OpaquePointer] = []

        /// The world of the adapter's own scripts.
        static let world = ScriptWorld.isolated(name: "containerkit-documents")
        /// The name of the handler of document states.
        static let handler = "containerkitScroll"
        /// The `Accept` of the engine for documents.
        static let accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        /// The maximum number of document states.
        static let stateLimit = 64

        /// A script for all documents of the view. The engine asks a document twice whether it may be left: for the
        /// blocked navigation, and for the document in its place. Only the first question reaches the page. The engine
        /// does not restore the scroll position of a given document, nor its referrer.
        static let leavingScript = """
            self.isLeaving = false;
            addEventListener("beforeunload", event => { if (isLeaving) event.stopImmediatePropagation(); }, true);
            addEventListener("pagehide", () => {
                const isManual = history.scrollRestoration === "manual";
                webkit.messageHandlers.\(handler).postMessage(
                    { ...\(state), ...(isManual && { x: 0, y: 0 }) });
            });
            """

        /// An expression for the current ``DocumentState``. `givenReferrer` is that of a given document.
        static let state =
            "({ url: location.href, x: scrollX, y: scrollY, referrer: self.givenReferrer ?? document.referrer })"

        /// A function that writes a document into the frames of its origin that the engine could not load. Such a frame
        /// has an empty document of its parent's origin.
        static let frameScript = """
            (([requested, url, html]) => {
                const fill = parent => {
                    for (const frame of parent.querySelectorAll("iframe, frame")) {
                        const { contentDocument, contentWindow, src } = frame;
                        if (contentDocument?.URL !== "about:blank") {
                            if (contentDocument) fill(contentDocument);
                        } else if (src === requested && new URL(url).origin === contentWindow.origin) {
                            contentDocument.open();
                            contentWindow.history.replaceState(null, "", url);
                            // For the script of the document, which then runs in the frame.
                            frame.setAttribute("containerkit", "");
                            contentDocument.write(html);
                            frame.removeAttribute("containerkit");
                            contentDocument.close();
                        }
                    }
                };
                fill(document);
            })
            """

        /// Returns a script for a given document. After `location.replace` and redirects, the history entry has the URL
        /// of the former document.
        /// - Parameters:
        ///   - position: the state of a document to which the user returns; `nil` for another.
        ///   - referrer: the `Referer` of the navigation; `nil` if there was none.
        static func arrivalScript(scrollingTo position: DocumentState?, referrer: String?) -> String {
            // A string can always be encoded.
            let text = (try? JSONEncoder().encode(referrer ?? "")).map { String(decoding: $0, as: UTF8.self) } ?? "''"
            let entry = "self.givenReferrer = \(text);history.replaceState(history.state, '', location.href);"
            guard let position else { return entry }
            // At the end of the load, the engine scrolls to the position of the document that is left.
            return entry + "addEventListener('load', () => setTimeout(() => scrollTo(\(position.x), \(position.y))));"
        }
    }

    /// The state of a document when it was left.
    struct DocumentState: Decodable {
        let url: String
        /// The scroll position, in CSS pixels.
        let x: Double
        let y: Double
        /// The referrer; empty if there is none.
        let referrer: String
    }

    extension WebKitGTKView {
        /// Sets a closure that is asked for the documents of navigations.
        ///
        /// The engine does not report whether a navigation is one of a frame. The document of a frame is therefore also
        /// requested from `answer`. It is used if the engine cannot load the frame.
        public func answerNavigations(
            _ answer: @escaping @MainActor (EngineNavigation) async throws(EngineError) -> EngineDocument?
        ) {
            guard !isDiscarded else { return }
            defer { given.answer = answer }
            guard given.answer == nil else { return }
            add(
                UserScript(
                    GivenDocuments.leavingScript, at: .documentStart, in: GivenDocuments.world, inAllFrames: false))
            // The name is used in this world only, so that no other handler has it.
            try? setMessageHandler(named: GivenDocuments.handler, in: GivenDocuments.world) { [weak self] message in
                self?.record(try JSONDecoder().decode(DocumentState.self, from: Data(message.json.utf8)))
                return "null"
            }
        }

        /// Records the state of the document before a reload, which needs it before the document is left.
        private func recordState() async {
            let json = try? await evaluate("return \(GivenDocuments.state)", in: GivenDocuments.world)
            let state = json.flatMap { try? JSONDecoder().decode(DocumentState.self, from: Data($0.utf8)) }
            if let state { record(state) }
        }

        private func record(_ state: DocumentState) {
            given.states.removeAll { $0.url == state.url }
            given.states.append(state)
            if given.states.count > GivenDocuments.stateLimit { given.states.removeFirst() }
        }

        /// Adds the referrer of a document of the history, which the engine does not know, to the fields of the
        /// navigation to it.
        private func addReferrer(to fields: inout HTTPFields, of url: String) {
            guard fields[.referer] == nil, let state = given.states.last(where: { $0.url == url }),
                !state.referrer.isEmpty
            else { return }
            fields[.referer] = state.referrer
        }

        /// Shows the document of the app in a blank view, without a navigation of the engine, which would connect to
        /// the host first. Measured with WebKitGTK 2.50: the first connection over TLS delays a document by 30 to
        /// 50 ms.
        /// - Returns: `true` if the view shows the document, or lets the engine load the URL, later.
        func loadDocument(at url: String) -> Bool {
            guard let answer = given.answer, ["", "about:blank"].contains(location.documentURL),
                ["", "about:blank"].contains(engineURL), url.hasPrefix("https:") || url.hasPrefix("http:")
            else { return false }
            var fields: HTTPFields = [.accept: GivenDocuments.accept]
            fields[.userAgent] = webkit_settings_get_user_agent(webkit_web_view_get_settings(web)).map {
                String(cString: $0)
            }
            let navigation = EngineNavigation(
                to: url, fields: fields, isReload: false, isOfApp: true, mayBeOfFrame: false)
            given.lastTask += 1
            given.directTask = given.lastTask
            given.tasks[given.lastTask] = Task { [weak self, number = given.lastTask] in
                defer { self?.given.tasks[number] = nil }
                let result = await GivenDocuments.result(of: navigation, by: answer)
                guard let self, given.directTask == number, !isDiscarded else { return }
                given.directTask = nil
                let document: EngineDocument
                switch result {
                case .success(let given)?: document = given
                case .failure(let error)?: return failWaitingLoad(of: url, error)
                case nil:
                    given.refusedURL = url
                    return webkit_web_view_load_uri(web, url)
                }
                guard isAllowed(document, at: url) else {
                    let error = EngineError(.loadFailed, "the app does not allow the document", at: url)
                    return failWaitingLoad(of: url, error)
                }
                setDocumentScripts(document.script, GivenDocuments.arrivalScript(scrollingTo: nil, referrer: nil))
                given.loadingURL = document.url
                webkit_web_view_load_alternate_html(web, document.html, document.url, document.url)
                document.onShow()
            }
            return true
        }

        /// Ends the load of the app that the engine has not begun.
        private func failWaitingLoad(of url: String, _ error: EngineError) {
            if location.cancelLoad() != nil { onSignal?(.failed(url: url, error: error)) }
        }

        /// Returns a Boolean value that indicates whether the decision on a navigation is made later.
        func answersNavigation(_ decision: UnsafeMutablePointer<WebKitPolicyDecision>) -> Bool {
            guard let answer = given.answer,
                let action = webkit_navigation_policy_decision_get_navigation_action(decision.asNavigation),
                webkit_navigation_action_get_frame_name(action) == nil,
                // The engine has begun to load the document itself, and follows the redirect itself.
                webkit_navigation_action_is_redirect(action) == 0,
                let request = webkit_navigation_action_get_request(action),
                let url = webkit_uri_request_get_uri(request).map({ String(cString: $0) }),
                url.hasPrefix("https:") || url.hasPrefix("http:"),
                webkit_uri_request_get_http_method(request).map({ String(cString: $0) }) == "GET"
            else {
                unblockDocuments()
                return false
            }
            if location.isLoadOfHost, given.refusedURL == url {
                given.refusedURL = nil
                unblockDocuments()
                return false
            }
            let type = webkit_navigation_action_get_navigation_type(action)
            let isReload = type == WEBKIT_NAVIGATION_TYPE_RELOAD || location.isLoadOfHost && given.isReload
            let isReturn = isReload || type == WEBKIT_NAVIGATION_TYPE_BACK_FORWARD
            var navigation = EngineNavigation(
                to: url, fields: HTTPFields(webkit_uri_request_get_http_headers(request)),
                isReload: isReload, isOfApp: location.isLoadOfHost,
                mayBeOfFrame: !location.isLoadOfHost)
            g_object_ref(decision)
            given.lastTask += 1
            given.tasks[given.lastTask] = Task { [weak self, number = given.lastTask] in
                defer {
                    self?.given.tasks[number] = nil
                    g_object_unref(decision)
                }
                var rules: ContentRuleStore.Compiled?
                // A page without frames has made the navigation itself.
                if navigation.mayBeOfFrame,
                    let count = try? await self?.evaluate("return length", in: GivenDocuments.world)
                {
                    navigation.mayBeOfFrame = count != "0"
                }
                if navigation.isReload { await self?.recordState() }
                if isReturn { self?.addReferrer(to: &navigation.fields, of: url) }
                let result = await GivenDocuments.result(of: navigation, by: answer)
                switch result {
                case .success?: rules = try? await self?.contentRules.list(of: GivenDocuments.blockingRules)
                case .failure?:
                    rules = try? await self?.contentRules.list(of: GivenDocuments.blockingRules(of: url))
                case nil: break
                }
                guard let self else { return webkit_policy_decision_ignore(decision) }
                if number > given.lastReplacedTask {
                    if Task.isCancelled { return webkit_policy_decision_ignore(decision) }
                    unblockDocuments()
                    given.pending[url] = nil
                    if let result, let rules {
                        let referrer = navigation.fields[.referer]
                        block(url, for: .init(result: result, isReturn: isReturn, referrer: referrer), by: rules)
                    } else if case .failure(let error)? = result {
                        webkit_policy_decision_ignore(decision)
                        if navigation.isOfApp { failWaitingLoad(of: url, error) }
                        return
                    }
                }
                // This has no effect if another navigation or the end of the frame has already replaced the decision.
                webkit_policy_decision_use(decision)
            }
            return true
        }

        /// Ends the tasks of all earlier navigations, because the view has begun to load a document. Frames of the
        /// former document load by themselves. A load without a navigation of the engine continues.
        func replaceDocuments() {
            given.lastReplacedTask = given.lastTask
            given.isReload = false
            for (number, task) in given.tasks where number != given.directTask { task.cancel() }
        }

        /// Ends the tasks of all navigations and the form of a post, because the app stops or replaces them.
        func cancelDocuments() {
            endPostForm()
            for task in given.tasks.values { task.cancel() }
            given.pending = [:]
            given.isStarting = false
            given.isReload = false
            given.directTask = nil
            given.refusedURL = nil
            given.loadingURL = nil
            unblockDocuments()
        }

        /// Makes the next navigation fail. The rules precede the decision on it, and the engine handles both in order.
        private func block(_ url: String, for document: GivenDocuments.Pending, by rules: ContentRuleStore.Compiled) {
            guard !isDiscarded else { return }
            given.pending[url] = document
            given.rules = rules.id
            webkit_user_content_manager_add_filter(contentManager, rules.filter)
        }

        private func unblockDocuments() {
            guard let rules = given.rules else { return }
            given.rules = nil
            webkit_user_content_manager_remove_filter_by_id(contentManager, rules)
        }

        /// Returns a Boolean value that indicates whether a resource is a blocked document, the document in its place,
        /// or the document of a frame that the app has too. The engine reports a failed load for the first two.
        func isGivenDocument(_ url: UnsafePointer<CChar>) -> Bool {
            guard given.loadingURL != nil || !given.pending.isEmpty else { return false }
            let places = given.pending.keys.map { $0 } + [given.loadingURL].compactMap(\.self)
            let url = ViewLocation.withoutFragment(String(cString: url)).utf8
            return places.contains { ViewLocation.withoutFragment($0).utf8.elementsEqual(url) }
        }

        /// Shows the document of the app in a frame that the engine could not load, for example without the network.
        func endFrame(_ resource: EngineResource) {
            // A given document has no response of the engine.
            if resource.failure == nil, (resource.status ?? 0) > 0 { onSignal?(.resource(resource)) }
            guard resource.failure != nil, case .success(let document)? = given.pending[resource.url]?.result,
                let texts = try? JSONEncoder().encode([resource.url, document.url, document.html])
            else { return }
            Task {
                _ = try? await evaluate(
                    GivenDocuments.frameScript + "(\(String(decoding: texts, as: UTF8.self)))",
                    in: GivenDocuments.world)
            }
        }

        /// The end of a blocked navigation.
        enum BlockedNavigation {
            /// The given document takes its place.
            case replaced
            /// The app does not allow the document, or decides later.
            case refused
            /// The app has ended the navigation with an error.
            case failed(EngineError)
            /// The navigation was not blocked for a document.
            case other
        }

        /// Shows the document of a navigation that was blocked for it, if the app allows the document. If the app
        /// allows it later, the view loads the URL again.
        func endNavigation(to url: String) -> BlockedNavigation {
            guard let pending = given.pending.removeValue(forKey: url) else { return .other }
            unblockDocuments()
            let document: EngineDocument
            switch pending.result {
            case .success(let given): document = given
            case .failure(let error): return .failed(error)
            }
            guard isAllowed(document, at: url) else { return .refused }
            let start = DocumentState(url: document.url, x: 0, y: 0, referrer: pending.referrer ?? "")
            let position = pending.isReturn ? given.states.last { $0.url == document.url } ?? start : nil
            // After the end of the web process, this document is loaded again, and its state is unknown.
            if position == nil { record(start) }
            setDocumentScripts(
                document.script, GivenDocuments.arrivalScript(scrollingTo: position, referrer: pending.referrer))
            webkit_web_view_evaluate_javascript(
                web, "isLeaving = true", -1, GivenDocuments.world.name, nil, nil, nil, nil)
            given.isStarting = true
            given.loadingURL = document.url
            requestState.recordGivenDocument()
            // The engine compares the second URL with that of the failed navigation. The third is that of the document,
            // and differs after a redirect.
            webkit_web_view_load_alternate_html(web, document.html, url, document.url)
            document.onShow()
            return .replaced
        }

        /// Asks the app whether the page may show a document, as for a document of the engine.
        private func isAllowed(_ document: EngineDocument, at url: String) -> Bool {
            guard onPrompt != nil else { return true }
            let state = PromptState()
            put(
                EnginePrompt(.document(url: document.url)) { [weak self] answer in
                    if state.isInSignal { state.answer = answer } else if answer != .no { self?.load(url) }
                })
            state.isInSignal = false
            return state.answer.map { $0 != .no } ?? false
        }

        private func setDocumentScripts(_ page: String, _ own: String) {
            removeDocumentScripts()
            let scripts = [
                webkit_user_script_new(
                    page, WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START, nil, nil),
                webkit_user_script_new_for_world(
                    own, WEBKIT_USER_CONTENT_INJECT_TOP_FRAME, WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START,
                    GivenDocuments.world.name, nil, nil),
            ]
            given.scripts = scripts.compactMap(\.self)
            for script in given.scripts { webkit_user_content_manager_add_script(contentManager, script) }
        }

        /// Removes the scripts of the last given document, which concern this document only.
        private func removeDocumentScripts() {
            for script in given.scripts {
                if !isDiscarded { webkit_user_content_manager_remove_script(contentManager, script) }
                webkit_user_script_unref(script)
            }
            given.scripts = []
        }

        /// Records the commit of a document, which may be one that the engine has loaded itself.
        func commitDocument() {
            if given.loadingURL == nil { removeDocumentScripts() }
            given.loadingURL = nil
            given.pending = [:]
        }

        /// Releases what belongs to given documents, when the view ends.
        func endDocuments() {
            given.answer = nil
            cancelDocuments()
            removeDocumentScripts()
        }
    }
#endif

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
        /// The closure of ``WebKitGTKView/answerNavigations(_:)``.
        typealias Answer = @MainActor (EngineNavigation) async -> EngineDocument?

        /// Content rules that block each document of the top frame.
        static let blockingRules = """
            [{"trigger":{"url-filter":".*","resource-type":["document"],"load-context":["top-frame"]},\
            "action":{"type":"block"}}]
            """

        var answer: Answer?
        /// The task that loads the document of a navigation.
        var task: Task<Void, Never>?
        /// The URL of the blocked navigation, the document that replaces it, and whether the navigation returns to a
        /// document of the history, so that its scroll position is restored.
        var pending: (url: String, document: EngineDocument, isReturn: Bool)?
        /// The scroll positions of the last documents by URL, newest last.
        var positions: [ScrollPosition] = []
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
        /// The name of the handler of scroll positions.
        static let handler = "containerkitScroll"
        /// The maximum number of scroll positions.
        static let positionLimit = 64

        /// A script for all documents of the view. The engine asks a document twice whether it may be left: for the
        /// blocked navigation, and for the document in its place. Only the first question reaches the page. The engine
        /// does not restore the scroll position of a given document.
        static let leavingScript = """
            self.isLeaving = false;
            addEventListener("beforeunload", event => { if (isLeaving) event.stopImmediatePropagation(); }, true);
            addEventListener("pagehide", () => {
                const isManual = history.scrollRestoration === "manual";
                webkit.messageHandlers.\(handler).postMessage(
                    { url: location.href, x: isManual ? 0 : scrollX, y: isManual ? 0 : scrollY });
            });
            """

        /// A script for a given document. After `location.replace` and redirects, the history entry has the URL of the
        /// former document.
        static let arrivalScript = "history.replaceState(history.state, '', location.href);"

        /// A script for a given document to which the user returns.
        static let returnScript = """
            webkit.messageHandlers.\(handler).postMessage(location.href).then(position => {
                const scroll = () => scrollTo(...position);
                if (document.readyState === "complete") scroll(); else addEventListener("load", scroll);
            });
            """
    }

    /// A message of the scripts of a view with given documents.
    private enum ScrollMessage: Decodable {
        /// A document is left at a scroll position.
        case position(ScrollPosition)
        /// A document asks for its scroll position.
        case request(url: String)

        init(from decoder: any Decoder) throws {
            self =
                if let url = try? decoder.singleValueContainer().decode(String.self) {
                    .request(url: url)
                } else {
                    .position(try ScrollPosition(from: decoder))
                }
        }
    }

    /// The scroll position of a document when it was left, in CSS pixels.
    struct ScrollPosition: Decodable {
        let url: String
        let x: Double
        let y: Double
    }

    extension WebKitGTKView {
        /// Sets a closure that is asked for the documents of navigations.
        ///
        /// The engine does not report whether a navigation is one of a frame. The document of a frame is therefore also
        /// requested from `answer`, and not used.
        public func answerNavigations(
            _ answer: @escaping @MainActor (EngineNavigation) async -> EngineDocument?
        ) {
            guard !isDiscarded else { return }
            defer { given.answer = answer }
            guard given.answer == nil else { return }
            add(
                UserScript(
                    GivenDocuments.leavingScript, at: .documentStart, in: GivenDocuments.world, inAllFrames: false))
            // The name is used in this world only, so that no other handler has it.
            try? setMessageHandler(named: GivenDocuments.handler, in: GivenDocuments.world) { [weak self] message in
                switch try JSONDecoder().decode(ScrollMessage.self, from: Data(message.json.utf8)) {
                case .position(let position):
                    self?.record(position)
                    return "null"
                case .request(let url):
                    let position = self?.given.positions.last { $0.url == url }
                    return "[\(position?.x ?? 0),\(position?.y ?? 0)]"
                }
            }
        }

        private func record(_ position: ScrollPosition) {
            given.positions.removeAll { $0.url == position.url }
            given.positions.append(position)
            if given.positions.count > GivenDocuments.positionLimit { given.positions.removeFirst() }
        }

        /// Returns a Boolean value that indicates whether the decision on a navigation is made later.
        func answersNavigation(_ decision: UnsafeMutablePointer<WebKitPolicyDecision>) -> Bool {
            unblockDocuments()
            guard let answer = given.answer,
                let action = webkit_navigation_policy_decision_get_navigation_action(decision.asNavigation),
                webkit_navigation_action_get_frame_name(action) == nil,
                let request = webkit_navigation_action_get_request(action),
                let url = webkit_uri_request_get_uri(request).map({ String(cString: $0) }),
                url.hasPrefix("https:") || url.hasPrefix("http:"),
                webkit_uri_request_get_http_method(request).map({ String(cString: $0) }) == "GET"
            else { return false }
            let type = webkit_navigation_action_get_navigation_type(action)
            var navigation = EngineNavigation(
                to: url, fields: HTTPFields(webkit_uri_request_get_http_headers(request)),
                isReload: type == WEBKIT_NAVIGATION_TYPE_RELOAD,
                mayBeOfFrame: !location.isLoadOfHost)
            g_object_ref(decision)
            given.task?.cancel()
            given.task = Task { [weak self] in
                defer { g_object_unref(decision) }
                var rules: ContentRuleStore.Compiled?
                // A page without frames has made the navigation itself.
                if navigation.mayBeOfFrame, let count = try? await self?.evaluate("return length", in: .page) {
                    navigation.mayBeOfFrame = count != "0"
                }
                let document = await answer(navigation)
                if document != nil { rules = try? await self?.contentRules.list(of: GivenDocuments.blockingRules) }
                // A decision has no effect if another navigation or the end of the frame has already replaced it.
                if Task.isCancelled { return webkit_policy_decision_ignore(decision) }
                let isReturn = [WEBKIT_NAVIGATION_TYPE_BACK_FORWARD, WEBKIT_NAVIGATION_TYPE_RELOAD].contains(type)
                if let self, let document, let rules {
                    self.block(url, for: document, isReturn: isReturn, by: rules)
                }
                webkit_policy_decision_use(decision)
            }
            return true
        }

        /// Ends the task of a navigation that is stopped or replaced.
        func cancelDocument() {
            given.task?.cancel()
            given.task = nil
            unblockDocuments()
        }

        private func block(
            _ url: String, for document: EngineDocument, isReturn: Bool, by rules: ContentRuleStore.Compiled
        ) {
            unblockDocuments()
            guard !isDiscarded else { return }
            given.pending = (url, document, isReturn)
            given.rules = rules.id
            webkit_user_content_manager_add_filter(contentManager, rules.filter)
        }

        private func unblockDocuments() {
            given.pending = nil
            guard let rules = given.rules else { return }
            given.rules = nil
            webkit_user_content_manager_remove_filter_by_id(contentManager, rules)
        }

        /// Returns a Boolean value that indicates whether a resource is a blocked document, or the document in its
        /// place. The engine reports a failed load for both.
        func isGivenDocument(_ url: UnsafePointer<CChar>) -> Bool {
            guard let place = given.pending?.url ?? given.loadingURL else { return false }
            return place.utf8.prefix { $0 != UInt8(ascii: "#") }.elementsEqual(String(cString: url).utf8)
        }

        /// Shows the document of a navigation that was blocked for it.
        /// - Returns: `false` if there is no such document.
        func showDocument(inPlaceOf url: String) -> Bool {
            guard let (blocked, document, isReturn) = given.pending, blocked == url else { return false }
            unblockDocuments()
            setDocumentScripts(
                document.script, GivenDocuments.arrivalScript + (isReturn ? GivenDocuments.returnScript : ""))
            webkit_web_view_evaluate_javascript(
                web, "isLeaving = true", -1, GivenDocuments.world.name, nil, nil, nil, nil)
            given.isStarting = true
            given.loadingURL = document.url
            // The engine compares the second URL with that of the failed navigation. The third is that of the document,
            // and differs after a redirect.
            webkit_web_view_load_alternate_html(web, document.html, url, document.url)
            return true
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

        /// Releases what belongs to given documents, when the view ends.
        func endDocuments() {
            given.answer = nil
            given.task?.cancel()
            given.task = nil
            given.pending = nil
            removeDocumentScripts()
        }
    }
#endif

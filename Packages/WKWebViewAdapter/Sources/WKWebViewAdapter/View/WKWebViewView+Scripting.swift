// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    public import WebEngine
    internal import WebKit

    extension WKWebViewView {
        /// The time limit for a running process to load a blank page and to report its state.
        static let scriptLimit = Duration.seconds(5)

        /// Runs the body of an asynchronous function in the page's document and awaits its promises.
        /// - Returns: the result as JSON; `null` for `undefined`.
        /// - Throws: `EngineError` with code `script` if the script throws or its result has no JSON form, `pageGone`
        ///   if another document replaces the document, or `processEnded` if the view or its process ends.
        public func evaluate(_ functionBody: String, in world: ScriptWorld) async throws -> String {
            let web = try requireLife()
            return try await scriptCalls.run { end in
                web.callAsyncJavaScript(functionBody, arguments: [:], in: nil, in: world.contentWorld) { result in
                    switch result {
                    case .success(let value): end(Result { try ScriptValue.json(of: value) })
                    case .failure(let error): end(.failure(EngineError(script: error)))
                    }
                }
            }
        }

        /// Adds a script that runs in each page from the next load on, for the lifetime of the view.
        public func add(_ script: UserScript) {
            guard webView != nil else { return }
            userScripts.append(
                WKUserScript(
                    source: script.guardedSource,
                    injectionTime: script.time == .documentStart ? .atDocumentStart : .atDocumentEnd,
                    forMainFrameOnly: !script.inAllFrames, in: script.world.contentWorld))
            applyScripts()
        }

        /// Sets the handler of `webkit.messageHandlers.<name>.postMessage(…)`. At most 256 messages wait for it, and
        /// the messages that wait for all handlers have at most 64 MB.
        /// - Throws: `EngineError` with code `handlerTaken` if the name is empty, or `processEnded`.
        public func setMessageHandler(
            named name: String, in world: ScriptWorld,
            _ handler: @escaping @MainActor (ScriptMessage) async throws -> String
        ) throws {
            let web = try requireLife()
            guard !name.isEmpty, !name.utf8.contains(0) else {
                throw EngineError(.handlerTaken, "invalid handler name", at: name)
            }
            // WebKit raises an exception for a second handler, so that the first one is removed before.
            if let index = messageHandlers.firstIndex(where: { $0.name == name && $0.world == world }) {
                messageHandlers.remove(at: index).stop("the handler was replaced")
            }
            messageHandlers.append(
                MessageHandler(
                    named: name, in: world, of: web.configuration.userContentController, budget: messageBudget,
                    documentURL: { [weak self] in self?.location.documentURL ?? "" }, handler))
        }

        /// The names of the handlers with pending replies to the current document.
        public var pendingHandlers: Set<String> { Set(messageHandlers.filter(\.hasPendingReply).map(\.name)) }

        /// Does nothing: WebKit caches compiled code by the text of a script, and its public calls that run a text in a
        /// separate world wrap it in a function.
        /// - Throws: `EngineError` with code `processEnded` if the view ended.
        public func precompile(_ sources: [String]) async throws { _ = try requireLife() }

        /// Applies content rules to the requests of the view's pages, in place of earlier rules. The rules of the last
        /// call apply, also if WebKit compiles them before those of an earlier call.
        /// - Throws: `EngineError` with code `storage` if WebKit rejects the rules, which leaves the earlier rules, or
        ///   `processEnded` if the view ended.
        public func setContentRules(_ json: String) async throws {
            guard !hasEnded else { throw EngineError.viewEnded }
            lastRules += 1
            let number = lastRules
            let list = try await shared.contentRules.list(of: json)
            guard let controller = webView?.configuration.userContentController else { throw EngineError.viewEnded }
            guard number > contentRules?.number ?? 0 else { return }
            let former = contentRules?.list
            contentRules = (number, list)
            guard list !== former else { return }
            controller.add(list)
            // The old rules are removed last, so that no request of a page passes without rules.
            if let former { controller.remove(former) }
        }

        /// Answers each `prompt(…)` call whose text begins with `prefix`, in all frames, without a dialog.
        public func answerPrompts(startingWith prefix: String, _ answer: @escaping @MainActor (String) -> String) {
            enginePrompts.answerPrompts(startingWith: prefix, answer)
        }

        /// Sets a closure that is called for each form navigation of the page or a frame.
        public func holdForms(_ wait: @escaping @MainActor (_ url: String) -> (@MainActor () async -> Void)?) {
            if webView != nil { formWait = wait }
        }

        /// Returns when the web process has received all earlier data of scheme tasks: it handles the messages of this
        /// process in order, and the script requires a reply.
        func awaitPage() async { _ = try? await evaluate("return 0", in: .adapter) }
    }

    extension UserScript {
        /// The source, in a block that runs in the documents of ``places`` only, because WebKit has no patterns in its
        /// public API. Functions and variables of `var` remain global.
        var guardedSource: String {
            guard !places.isEmpty else { return source }
            let tests = places.map { "/^\(Self.expression(for: $0))$/.test(" }.map { $0 + "p+'//'+h+l.pathname)" }
            return "if (((l, p, h) => \(tests.joined(separator: " || ")))"
                + "(location, location.protocol, location.hostname)) {\n\(source)\n}"
        }

        /// Returns the regular expression for a pattern of a scheme, a host that may begin with `*.`, and a path.
        private static func expression(for pattern: String) -> String {
            let text = pattern.replacing("://*.", with: "://\u{0}")
            return text.unicodeScalars.map { scalar in
                switch scalar {
                case "\u{0}": "(?:[^/]+\\.)?"
                case "*": ".*"
                case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ":": String(scalar)
                default: scalar.value < 0x80 ? "\\\(scalar)" : "[^]"
                }
            }.joined()
        }
    }
#endif

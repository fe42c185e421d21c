// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    public import WebEngine
    internal import WebKit

    // A used view is not reset in place: its history, its sessionStorage and its window name have no public calls.
    extension WKWebViewView {
        /// The time limit for a blank page to load in a new process.
        private static let warmUpLimit = Duration.seconds(20)

        /// Loads a blank page, which starts the web process. The page has no history entry.
        /// - Throws: `EngineError`, with code `timedOut` after 20 seconds.
        public func warmUp() async throws {
            try await withLimit(Self.warmUpLimit, "the web process did not show a blank page") { [self] in
                try await showBlank()
                await readOwnUserAgent()
            }
        }

        private func showBlank() async throws {
            let web = try requireLife()
            defer { onSignal = nil }
            let (signals, continuation) = AsyncStream.makeStream(of: ViewSignal.self)
            onSignal = { continuation.yield($0) }
            loadTask?.cancel()
            cancelDecisions()
            (given.arrival, given.failedReturn) = (nil, nil)
            removeDocumentScript()
            location.recordLoad(for: ViewLocation.blank)
            location.issue(web.loadHTMLString("<!doctype html>", baseURL: nil))
            for await signal in signals {
                switch signal {
                case .finished: return
                case .failed(_, let error): throw error
                case .processEnded(let reason): throw EngineError(.processEnded, reason)
                case .started, .committed, .stopped, .resource, .frameLoaded, .visibilityChanged: continue
                }
            }
            try Task.checkCancellation()
        }

        /// Returns a new view of the engine with a blank page and its own id, and ends this view. No public API gives a
        /// web process to another view.
        /// - Throws: `ViewProcessEnded` if the process of this view has ended, or the error of ``warmUp()``.
        public func reset() async throws -> WKWebViewView {
            guard !hasEnded, isAlive else { throw ViewProcessEnded() }
            let successor = try makeSuccessor()
            discard()
            do {
                try await successor.warmUp()
                return successor
            } catch {
                let isAlive = successor.isAlive
                successor.discard()
                throw isAlive ? error : ViewProcessEnded()
            }
        }

        /// Returns the state of earlier pages and hosts, as far as public API and a script show it. Audio playback and
        /// muted audio are not among it.
        /// - Throws: `EngineError`, with code `timedOut` after 5 seconds, or `ViewProcessEnded`.
        public func residualState() async throws -> Set<ResidualState> {
            do {
                let web = try requireLife()
                let json = try await withLimit(Self.scriptLimit, "the web process did not respond") { [self] in
                    try await evaluate(Self.residualStateScript, in: .page)
                }
                let names = try JSONDecoder().decode([String]?.self, from: Data(json.utf8)) ?? []
                return residualStateByEngine(web).union(names.map { ResidualState($0) })
            } catch {
                throw isAlive ? error : ViewProcessEnded()
            }
        }

        private func residualStateByEngine(_ web: WKWebView) -> Set<ResidualState> {
            let list = web.backForwardList
            let captures = [web.cameraCaptureState, web.microphoneCaptureState]
            let found: [(ResidualState, Bool)] = [
                (.history, list.currentItem != nil || !list.backList.isEmpty || !list.forwardList.isEmpty),
                (.document, engineURL != ViewLocation.blank || web.isLoading),
                (.scripts, !userScripts.isEmpty || given.script != nil),
                (.handlers, !messageHandlers.isEmpty),
                (
                    .delegates,
                    onSignal != nil || enginePrompts.hasReceivers || engineDownloads.onDownload != nil
                        || formWait != nil || given.answer != nil
                ),
                (.zoom, web.pageZoom != 1),
                (.userAgent, web.customUserAgent != nil || pendingUserAgent != nil),
                (.media, captures.contains { $0 != .none }),
            ]
            return Set(found.filter(\.1).map(\.0))
        }

        /// A script that returns the names of the `ResidualState` values that it finds. A blank page has an opaque
        /// origin and therefore no storage.
        private static let residualStateScript = """
            const stored = () => { try { return sessionStorage.length } catch { return 0 } };
            const found = {
                history: history.length > 1 || history.state !== null,
                document: location.href !== 'about:blank' || document.title !== '' || window.name !== ''
                    || window.opener !== null || window.length !== 0 || document.body?.childElementCount > 0,
                storage: stored() !== 0,
                handlers: Object.keys(window.webkit?.messageHandlers ?? {}).length !== 0,
                media: document.querySelector('audio, video') !== null,
            };
            return Object.keys(found).filter(name => found[name]);
            """
    }
#endif

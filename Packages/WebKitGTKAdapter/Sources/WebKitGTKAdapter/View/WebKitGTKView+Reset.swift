// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation

    // A used view is not reset in place. Its web process continues with a new view, which shares no other state.
    extension WebKitGTKView {
        /// The time limit for a running process to load a blank page, to precompile scripts, and to report its state.
        static let resetLimit = Duration.seconds(5)

        /// Returns a new view that reuses this view's web process and nothing else, with a blank page, and ends this
        /// view.
        ///
        /// History, sessionStorage, window names, scripts, handlers, pending prompts, zoom and settings belong to a
        /// view, so they end with this view. Measured: creating the view takes 9 ms, compared with 150 ms for a view
        /// with its own process. Drawing the blank page takes about 30 ms more.
        /// - Returns: the new view, with its own id.
        /// - Throws: `ViewProcessEnded`, or `EngineError`, with code `timedOut` if either page takes longer than 5
        ///   seconds, for example because a script does not end. The web process is then terminated.
        public func reset() async throws -> WebKitGTKView {
            try requireLife()
            try await replacePage()
            let successor = try makeSuccessor(self)
            // This view ends before the successor loads. The successor's load then completes only after the process has
            // handled the end of this view.
            discard()
            do {
                try await successor.warmUp(within: Self.resetLimit)
                return successor
            } catch {
                let isAlive = successor.isAlive
                successor.endsProcess = true
                successor.discard()
                throw isAlive ? error : ViewProcessEnded()
            }
        }

        /// Replaces the page by a blank page.
        ///
        /// Measured: if a view ends within milliseconds of its page's load, its process may hang permanently (18 of
        /// 60), but not if the view showed a blank page (0 of 80). The cause is the engine's page cache, which stores
        /// the page first (1 of 40 without that cache).
        private func replacePage() async throws {
            do {
                try await withLimit(Self.resetLimit, Self.noBlankPage) { [self] in try await showBlank() }
            } catch {
                let isAlive = isAlive
                endsProcess = true
                discard()
                throw isAlive ? error : ViewProcessEnded()
            }
        }

        /// Returns the state of earlier pages and hosts, from the engine and from a script.
        /// - Throws: the errors of ``reset()``. The web process then ends with the view.
        public func residualState() async throws -> Set<ResidualState> {
            try requireLife()
            do {
                let seen = try await withLimit(Self.resetLimit, "the web process did not respond") { [self] in
                    try await evaluate(Self.residualStateScript, in: .page)
                }
                let names = try JSONDecoder().decode([String].self, from: Data(seen.utf8))
                return residualStateByEngine.union(names.map { ResidualState($0) })
            } catch {
                endsProcess = true
                throw isAlive ? error : ViewProcessEnded()
            }
        }

        private var residualStateByEngine: Set<ResidualState> {
            let list = webkit_web_view_get_back_forward_list(web)
            let isBlank = engineURL == "about:blank" && location.documentURL == "about:blank"
            let capture = [
                webkit_web_view_get_camera_capture_state(web), webkit_web_view_get_microphone_capture_state(web),
                webkit_web_view_get_display_capture_state(web),
            ]
            let found: [(ResidualState, Bool)] = [
                (.history, webkit_back_forward_list_get_length(list) != 0),
                (.document, !isBlank || webkit_web_view_is_loading(web) != 0 || webkit_web_view_is_editable(web) != 0),
                (.storage, origin.earlierPages.contains(UInt64(webkit_web_view_get_page_id(web)))),
                (.scripts, scriptCount != 0),
                (.handlers, !messageHandlers.isEmpty),
                (.delegates, onSignal != nil || promptResponder != nil || onPrompt != nil),
                (.zoom, webkit_web_view_get_zoom_level(web) != origin.zoom),
                (.userAgent, ViewOrigin.userAgent(of: web) != origin.userAgent),
                (
                    .media,
                    webkit_web_view_is_playing_audio(web) != 0 || webkit_web_view_get_is_muted(web) != 0
                        || capture.contains { $0 != WEBKIT_MEDIA_CAPTURE_STATE_NONE }
                ),
            ]
            return Set(found.filter(\.1).map(\.0))
        }

        /// A script that returns the names of the ``ResidualState`` values that it finds. A blank page has an opaque
        /// origin and therefore no storage.
        private static let residualStateScript = """
            const stored = () => { try { return sessionStorage.length } catch { return 0 } };
            const found = {
                history: history.length !== 1 || history.state !== null,
                document: location.href !== 'about:blank' || document.title !== '' || window.name !== ''
                    || window.opener !== null || window.length !== 0 || document.fullscreenElement !== null
                    || document.documentElement.outerHTML !== '<html><head></head><body></body></html>',
                storage: stored() !== 0,
                handlers: Object.keys(window.webkit?.messageHandlers ?? {}).length !== 0,
                'user-agent': navigator.userAgent === '',
                media: document.querySelector('audio, video') !== null,
            };
            return Object.keys(found).filter(name => found[name]);
            """
    }
#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation

    // A used view is not cleaned. Its web process goes on with another view, which nothing of the first is in.
    extension WebKitGTKView {
        /// How long a process that runs may take for a blank page, to run a script ahead, and to say what is in it.
        static let resetLimit = Duration.seconds(5)

        /// Makes a view that takes over this one's web process and nothing else, ends this one, and loads a blank page
        /// in the other. History, sessionStorage, window names, scripts, handlers, answers to dialogs, zoom and
        /// settings belong to a view: what a page or its host left of these stays with the one that ended, whoever
        /// holds it. Measured: 9 ms, where a view with a process of its own takes 150; to leave the page takes some more,
        /// and some 30 ms until the blank page is drawn.
        /// - Returns: the other view, with an id of its own.
        /// - Throws: `ViewProcessEnded`, or `EngineError`: with code `timedOut` after 5 seconds for either page, as where a
        ///   script of the page never ends; its process is ended then.
        public func reset() async throws -> WebKitGTKView {
            try requireLife()
            try await leavePage()
            let successor = try makeSuccessor(self)
            // Before the other loads its page, which shows that the process is through with the end of this one.
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

        /// Has the page give way to a blank one. Of views that end within some ms of their page's load up to half leave the
        /// process waiting for ever, measured: 18 of 60, and 0 of 80 that showed a blank page. What does it is that the
        /// engine's page cache takes the page first: without that cache it was one of 40.
        private func leavePage() async throws {
            do {
                try await withLimit(Self.resetLimit, Self.noBlankPage) { [self] in try await showBlank() }
            } catch {
                let isAlive = isAlive
                endsProcess = true
                discard()
                throw isAlive ? error : ViewProcessEnded()
            }
        }

        /// What a page or a host left here: what the engine says, and what a script can see.
        /// - Throws: as ``reset()``. The web process ends with the view then.
        public func residualState() async throws -> Set<ResidualState> {
            try requireLife()
            do {
                let seen = try await withLimit(Self.resetLimit, "the web process says nothing") { [self] in
                    try await evaluate(Self.looking, in: .page)
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

        /// Says what it finds, by the names of remains. An opaque origin, as a blank page's is, has no storage to look
        /// at.
        private static let looking = """
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

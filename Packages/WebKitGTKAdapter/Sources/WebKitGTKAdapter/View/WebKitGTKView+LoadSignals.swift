// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Glibc

    // Conversion of the engine's load signals to `ViewSignal` values.
    extension WebKitGTKView {
        func connectLoadSignals(_ signals: GObjectSignals) {
            let loadChanged: @convention(c) (UnsafeMutablePointer<WebKitWebView>, WebKitLoadEvent, gpointer?) -> Void =
                {
                    _, event, data in
                    MainActor.assumeIsolated { target(data, as: WebKitGTKView.self)?.loadChanged(event) }
                }
            signals.connect("load-changed", unsafeBitCast(loadChanged, to: GCallback.self), to: self)

            let loadFailed:
                @convention(c) (
                    UnsafeMutablePointer<WebKitWebView>, WebKitLoadEvent, UnsafePointer<CChar>?,
                    UnsafeMutablePointer<GError>?, gpointer?
                ) -> gboolean = { _, _, url, error, data in
                    let url = url.map { String(cString: $0) } ?? ""
                    let failure = EngineError(load: error, url: url)
                    let ending = error.map { LoadEnding(of: $0.pointee) } ?? .failed
                    MainActor.assumeIsolated {
                        target(data, as: WebKitGTKView.self)?.loadFailed(url, failure, ending)
                    }
                    return 1
                }
            signals.connect("load-failed", unsafeBitCast(loadFailed, to: GCallback.self), to: self)

            let tlsFailed:
                @convention(c) (
                    UnsafeMutablePointer<WebKitWebView>, UnsafePointer<CChar>?, gpointer?, GTlsCertificateFlags,
                    gpointer?
                ) -> gboolean = { _, url, _, _, data in
                    let url = url.map { String(cString: $0) } ?? ""
                    let failure = EngineError(.tls, "the server's certificate was rejected", at: url)
                    MainActor.assumeIsolated {
                        target(data, as: WebKitGTKView.self)?.loadFailed(url, failure, .failed)
                    }
                    return 1
                }
            signals.connect("load-failed-with-tls-errors", unsafeBitCast(tlsFailed, to: GCallback.self), to: self)

            let processEnded:
                @convention(c) (UnsafeMutablePointer<WebKitWebView>, WebKitWebProcessTerminationReason, gpointer?) ->
                    Void =
                    { _, reason, data in
                        MainActor.assumeIsolated { target(data, as: WebKitGTKView.self)?.processEnded(reason) }
                    }
            signals.connect("web-process-terminated", unsafeBitCast(processEnded, to: GCallback.self), to: self)

            let resourceStarted:
                @convention(c) (
                    UnsafeMutablePointer<WebKitWebView>, UnsafeMutablePointer<WebKitWebResource>,
                    UnsafeMutablePointer<WebKitURIRequest>, gpointer?
                ) -> Void = {
                    _, resource, _, data in
                    // The container itself has served resources with custom schemes.
                    guard let url = webkit_web_resource_get_uri(resource),
                        strncmp(url, "http:", 5) == 0 || strncmp(url, "https:", 6) == 0
                    else { return }
                    MainActor.assumeIsolated {
                        guard let view: WebKitGTKView = target(data), !view.isShowingForm else { return }
                        let isDocument = view.isGivenDocument(url)
                        ResourceWatch.start(UnsafeMutableRawPointer(resource)) { [weak view] in
                            if !isDocument { view?.onSignal?(.resource($0)) } else { view?.endFrame($0) }
                        }
                    }
                }
            signals.connect("resource-load-started", unsafeBitCast(resourceStarted, to: GCallback.self), to: self)
        }

        private func loadChanged(_ event: WebKitLoadEvent) {
            switch event {
            // The load of the app begins when the form is submitted.
            case WEBKIT_LOAD_STARTED where isShowingForm: break
            case WEBKIT_LOAD_STARTED:
                location.start()
                replaceDocuments()
                if given.isStarting {
                    // The navigation that the document replaces has already started.
                    given.isStarting = false
                    return
                }
                onSignal?(.started(url: engineURL))
            case WEBKIT_LOAD_COMMITTED:
                commit()
            // The blocked navigation, which a document replaces, also finishes.
            case WEBKIT_LOAD_FINISHED where !location.isLoadWaiting && !given.isStarting:
                onSignal?(.finished(url: location.documentURL))
            default: break
            }
        }

        private func commit() {
            commitDocument()
            let isStale = location.isLoadWaiting
            let commit = location.commit(url: engineURL, mainResource: mainResourceURL)
            documentChanged()
            requestState.commit(engineURL)
            switch commit {
            case .document(let url):
                if !isStale { onSignal?(.committed(url: url)) }
            case .refusal(let url):
                // For a port that browsers block, the engine reports that a blank page loads, and no error.
                let error = EngineError(.blocked, "the engine does not load this URL; it may block the port", at: url)
                onSignal?(.failed(url: url, error: error))
            }
        }

        /// Handles the end of a load that the engine reports as a failure.
        private func loadFailed(_ url: String, _ error: EngineError, _ ending: LoadEnding) {
            var (error, ending) = (error, ending)
            switch endNavigation(to: url) {
            case .replaced: return
            case .refused:
                ending = .interrupted
                error = EngineError(.loadFailed, "the app does not allow the document", at: url)
            case .failed(let refusal): error = refusal
            case .other: break
            }
            // A load that the host requested has failed if no document of it was committed.
            let isOfHost = location.isLoadOfHost
            // The host has requested another page meanwhile, so this failure does not end the current load.
            if location.fail(url, isCancelled: ending == .cancelled) { return }
            onSignal?(ending == .failed || isOfHost ? .failed(url: url, error: error) : .stopped(url: url))
        }

        private func processEnded(_ reason: WebKitWebProcessTerminationReason) {
            isAlive = false
            hasProcess = false
            location.endNavigation()
            cancelDocuments()
            endCalls()
            endEnginePrompts()
            for handler in messageHandlers { handler.documentChanged() }
            let text =
                switch reason {
                case WEBKIT_WEB_PROCESS_CRASHED: "the web process crashed"
                case WEBKIT_WEB_PROCESS_EXCEEDED_MEMORY_LIMIT: "the web process used too much memory"
                default: "the web process was ended"
                }
            onSignal?(.processEnded(reason: text))
        }
    }

    /// The reason for which the engine ends a load without its completion.
    private enum LoadEnding {
        case failed
        /// The page or the host stopped the load, or another load replaced it.
        case cancelled
        /// The response became a download, or has no content for a document.
        case interrupted

        init(of error: GError) {
            let code = error.code
            if error.domain == webkit_network_error_quark(), code == gint(WEBKIT_NETWORK_ERROR_CANCELLED.rawValue) {
                self = .cancelled
            } else if error.domain == webkit_policy_error_quark(),
                code == gint(WEBKIT_POLICY_ERROR_FRAME_LOAD_INTERRUPTED_BY_POLICY_CHANGE.rawValue)
            {
                self = .interrupted
            } else {
                self = .failed
            }
        }
    }

    extension EngineError {
        /// Creates an error from the error of a failed load.
        init(load error: UnsafeMutablePointer<GError>?, url: String) {
            guard let error else {
                self.init(.loadFailed, "the page cannot be loaded", at: url)
                return
            }
            self.init(Self.code(of: error.pointee), String(cString: error.pointee.message), at: url)
        }

        private static func code(of error: GError) -> Code {
            switch error.domain {
            // The code of a load that content rules block has no name in WebKitGTK's headers.
            case webkit_policy_error_quark() where error.code == 104: .blocked
            case g_resolver_error_quark(): .unknownHost
            case g_tls_error_quark(): .tls
            case g_io_error_quark() where error.code == gint(G_IO_ERROR_CANCELLED.rawValue): .loadFailed
            case g_io_error_quark(): codes[error.code] ?? .badAnswer
            // The proxy refuses the credentials repeatedly. This adapter repeats requests for no other reason.
            case soup_session_error_quark() where error.code == gint(SOUP_SESSION_ERROR_TOO_MANY_RESTARTS.rawValue):
                .cannotConnect
            // libsoup reports this if the connection ends before the response begins, for example at the proxy.
            case soup_session_error_quark() where error.code == gint(SOUP_SESSION_ERROR_PARSING.rawValue):
                .connectionLost
            case soup_session_error_quark(): .badAnswer
            default: .loadFailed
            }
        }

        /// The codes for GIO's socket errors.
        private static let codes: [gint: Code] = {
            let unreachable = [
                G_IO_ERROR_CONNECTION_REFUSED, G_IO_ERROR_HOST_UNREACHABLE, G_IO_ERROR_NETWORK_UNREACHABLE,
                G_IO_ERROR_HOST_NOT_FOUND, G_IO_ERROR_PROXY_FAILED, G_IO_ERROR_PROXY_AUTH_FAILED,
                G_IO_ERROR_PROXY_NEED_AUTH, G_IO_ERROR_PROXY_NOT_ALLOWED,
            ]
            let lost = [G_IO_ERROR_CONNECTION_CLOSED, G_IO_ERROR_NOT_CONNECTED, G_IO_ERROR_PARTIAL_INPUT]
            let all =
                unreachable.map { ($0, Code.cannotConnect) } + lost.map { ($0, .connectionLost) }
                + [(G_IO_ERROR_TIMED_OUT, .timedOut)]
            return Dictionary(all.map { (gint(bitPattern: $0.0.rawValue), $0.1) }) { first, _ in first }
        }()
    }
#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK

    // Credentials for the engine's own proxy. A site that asks for some is left to the engine.
    extension WebKitGTKView {
        func connectAuthentication(_ signals: GObjectSignals) {
            let authenticate:
                @convention(c) (
                    UnsafeMutablePointer<WebKitWebView>, UnsafeMutablePointer<WebKitAuthenticationRequest>, gpointer?
                ) -> gboolean = { _, request, data in
                    guard webkit_authentication_request_is_for_proxy(request) != 0,
                        let host = webkit_authentication_request_get_host(request).map({ String(cString: $0) })
                    else { return 0 }
                    let port = Int(webkit_authentication_request_get_port(request))
                    let isRetry = webkit_authentication_request_is_retry(request) != 0
                    let credentials = MainActor.assumeIsolated {
                        target(data, as: WebKitGTKView.self)?.proxyAsks(host, port, isRetry: isRetry)
                    }
                    guard let credentials else { return 0 }
                    // libsoup remembers them by itself: nothing of WebKit has to.
                    let credential = webkit_credential_new(
                        credentials.username, credentials.password, WEBKIT_CREDENTIAL_PERSISTENCE_NONE)
                    webkit_authentication_request_authenticate(request, credential)
                    webkit_credential_free(credential)
                    return 1
                }
            signals.connect("authenticate", unsafeBitCast(authenticate, to: GCallback.self), to: self)
        }

        /// How often in a row credentials may be refused. libsoup ends a request that was repeated 20 times, but not where
        /// the proxy closes its connection each time.
        private static let retryLimit = 100

        /// What to say to a proxy that asks; `nil` where that is not ours to answer.
        ///
        /// A refusal alone ends nothing: it may be of what an earlier proxy was told. Nor is the question cancelled ever, as
        /// libsoup would keep the cancelled authentication, and ask no more whatever proxy comes after.
        private func proxyAsks(_ host: String, _ port: Int, isRetry: Bool) -> EngineProxy.Credentials? {
            guard let credentials = proxies.credentials(forProxyAt: host, port: port) else { return nil }
            proxyRetries = isRetry ? proxyRetries + 1 : 0
            if proxyRetries > Self.retryLimit { webkit_web_view_stop_loading(web) }
            return credentials
        }
    }
#endif

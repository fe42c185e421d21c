// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import WebSyntax

    // Credentials for the engine's own proxy. The engine handles the authentication of sites.
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
                        target(data, as: WebKitGTKView.self)?.proxyCredentials(host, port, isRetry: isRetry)
                    }
                    guard let credentials else { return 0 }
                    // libsoup remembers the credentials, so WebKit need not store them.
                    let credential = webkit_credential_new(
                        credentials.username, credentials.password, WEBKIT_CREDENTIAL_PERSISTENCE_NONE)
                    webkit_authentication_request_authenticate(request, credential)
                    webkit_credential_free(credential)
                    return 1
                }
            signals.connect("authenticate", unsafeBitCast(authenticate, to: GCallback.self), to: self)
        }

        /// The maximum number of consecutive refusals. libsoup ends a request after 20 attempts, but not if the proxy
        /// closes its connection each time.
        private static let retryLimit = 100

        /// Returns the credentials for a proxy that requests authentication; `nil` if the engine handles the request.
        ///
        /// One refusal does not end the load, because it may concern the credentials of an earlier proxy. The
        /// authentication is never cancelled, because libsoup would apply the cancellation to all later proxies.
        private func proxyCredentials(_ host: String, _ port: Int, isRetry: Bool) -> EngineProxy.Credentials? {
            guard let credentials = proxies.credentials(forProxyAt: host, port: port) else { return nil }
            proxyRetries = isRetry ? proxyRetries + 1 : 0
            if proxyRetries > Self.retryLimit { webkit_web_view_stop_loading(web) }
            return credentials
        }
    }
#endif

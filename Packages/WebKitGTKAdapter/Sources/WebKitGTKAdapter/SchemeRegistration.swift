// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import HTTPTypes
    internal import ResourceLoading

    /// The registration of one custom scheme in the engine. The engine cannot unregister a scheme, so the handler of
    /// the registration is replaceable.
    @MainActor
    final class SchemeRegistration {
        let isSecure: Bool
        private weak var engine: WebKitGTKEngine?
        var handler: SchemeHandler

        init(engine: WebKitGTKEngine, isSecure: Bool, handler: @escaping SchemeHandler) {
            self.isSecure = isSecure
            self.engine = engine
            self.handler = handler
        }

        func start(_ request: UnsafeMutablePointer<WebKitURISchemeRequest>) {
            let view = engine?.view(showing: webkit_uri_scheme_request_get_web_view(request))
            let task = WebKitGTKSchemeTask(request, from: view)
            guard let url = webkit_uri_scheme_request_get_uri(request).map({ String(cString: $0) }),
                let head = head(of: request, at: url)
            else {
                task.fail(.init(.invalidRequest, "not a URL of this scheme"))
                return
            }
            // The UTF-8 view is searched because a search by characters takes several times as long.
            let mark = url.utf8.firstIndex(of: UInt8(ascii: "#"))
            let engineRequest = EngineRequest(
                head: head, fragment: mark.map { String(url[url.utf8.index(after: $0)...]) },
                view: view?.id,
                isMainDocument: view.map { $0.location.isDocument(url, mainResource: $0.mainResourceURL) } ?? false
            ) { [weak task] in try task?.body() ?? .empty }
            task.attach(handler(engineRequest, task))
        }

        private func head(of request: UnsafeMutablePointer<WebKitURISchemeRequest>, at url: String) -> HTTPRequest? {
            guard
                let method = HTTPRequest.Method(String(cString: webkit_uri_scheme_request_get_http_method(request)))
            else { return nil }
            let fields = HTTPFields(webkit_uri_scheme_request_get_http_headers(request))
            return HTTPRequest(method: method, urlText: url, headerFields: fields)
        }
    }

    extension HTTPFields {
        /// Creates the fields of an engine's request. Names that are not tokens are omitted.
        init(_ headers: OpaquePointer?) {
            self.init()
            guard let headers else { return }
            var iterator = SoupMessageHeadersIter()
            soup_message_headers_iter_init(&iterator, headers)
            var name: UnsafePointer<CChar>?
            var value: UnsafePointer<CChar>?
            while soup_message_headers_iter_next(&iterator, &name, &value) != 0 {
                guard let name, let value, let field = HTTPField.Name(String(cString: name)) else { continue }
                append(HTTPField(name: field, lenientValue: String(cString: value).utf8))
            }
        }
    }
#endif

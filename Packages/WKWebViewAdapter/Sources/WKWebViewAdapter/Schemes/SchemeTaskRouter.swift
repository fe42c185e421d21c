// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import HTTPTypes
    internal import ResourceLoading
    internal import WebEngine
    internal import WebKit

    /// The scheme handler of one scheme in one configuration: it passes tasks to the engine's current handler.
    ///
    /// The configuration retains its handlers, and the views retain the configuration. This object therefore references
    /// the engine weakly.
    final class SchemeTaskRouter: NSObject, WKURLSchemeHandler {
        private let scheme: String
        private weak var engine: WKWebViewEngine?
        /// The tasks that have not ended. Each entry retains its WebKit task, so that no other task has its identifier.
        private var running: [ObjectIdentifier: WKWebViewSchemeTask] = [:]
        /// The window of the view of the last task: each view has a configuration of its own.
        private var window: (view: ViewID?, value: TransferWindow)?

        init(_ scheme: String, of engine: WKWebViewEngine) {
            self.scheme = scheme
            self.engine = engine
        }

        func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask) {
            let id = ObjectIdentifier(urlSchemeTask)
            let view = engine?.view(of: webView)
            let task = WKWebViewSchemeTask(urlSchemeTask, in: window(of: view)) { [weak self] in
                self?.running[id] = nil
            }
            running[id] = task
            let request = urlSchemeTask.request
            guard let handler = engine?.handler(of: scheme) else {
                return task.fail(ResourceError(.cancelled, "the engine was released"))
            }
            // A view that has ended shows nothing more, and its requests would not identify their page.
            guard let view else { return task.fail(ResourceError(.cancelled, "the view has ended")) }
            guard let url = request.url?.absoluteString, let head = HTTPRequest(request, at: url) else {
                return task.fail(ResourceError(.invalidRequest, "not a URL of this scheme"))
            }
            // The UTF-8 view is searched because a search by characters takes several times as long.
            let mark = url.utf8.firstIndex(of: UInt8(ascii: "#"))
            let engineRequest = EngineRequest(
                head: head, fragment: mark.map { String(url[url.utf8.index(after: $0)...]) }, view: view.id,
                isMainDocument: view.location.takeDocumentRequest(for: url),
                body: { [weak task] in
                    guard let task else { throw ResourceError(.cancelled, "the engine stopped the task") }
                    return try task.requestBody()
                })
            task.attach(handler(engineRequest, task))
        }

        private func window(of view: WKWebViewView?) -> TransferWindow {
            if let window, window.view == view?.id { return window.value }
            let value = TransferWindow { [weak view] in await view?.awaitPage() }
            window = (view?.id, value)
            return value
        }

        func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask) {
            running[ObjectIdentifier(urlSchemeTask)]?.stop()
        }
    }

    extension HTTPRequest {
        /// Creates the head of a request of WebKit; `nil` for a URL without an authority. Names that are not tokens are
        /// omitted.
        fileprivate init?(_ request: URLRequest, at url: String) {
            guard let method = HTTPRequest.Method(request.httpMethod ?? "GET") else { return nil }
            self.init(method: method, urlText: url, headerFields: HTTPFields(request.allHTTPHeaderFields ?? [:]))
        }
    }

    extension HTTPFields {
        /// Creates the fields of a request of WebKit. Names that are not tokens are omitted.
        init(_ fields: [String: String]) {
            self.init()
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
                guard let name = HTTPField.Name(name) else { continue }
                append(HTTPField(name: name, lenientValue: value.utf8))
            }
        }
    }

    /// The body of a request of WebKit, which can be read once.
    enum RequestBody {
        /// The maximum number of bytes that are read from a stream; 256 MB, because they are in memory already.
        static let limit = 256 << 20

        /// Returns the body, which is complete when the task starts.
        /// - Throws: `ResourceError` with code `io` if the stream fails, or `tooLarge` after `limit` bytes.
        static func read(_ request: URLRequest, upTo limit: Int = limit) throws -> ResourceBody {
            if let data = request.httpBody { return data.isEmpty ? .empty : .bytes(data) }
            guard let stream = request.httpBodyStream else { return .empty }
            stream.open()
            defer { stream.close() }
            var body = Data()
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = stream.read(&buffer, maxLength: buffer.count)
                guard count >= 0 else { throw ResourceError(.io, "the engine did not provide the request body") }
                guard count > 0 else { return body.isEmpty ? .empty : .bytes(body) }
                guard body.count + count <= limit else {
                    throw ResourceError(.tooLarge, "request body of more than \(limit) bytes")
                }
                body.append(contentsOf: buffer[..<count])
            }
        }
    }
#endif

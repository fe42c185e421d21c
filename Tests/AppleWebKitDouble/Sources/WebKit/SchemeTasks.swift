// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// webkit/wkurlschemehandler [WKURLSchemeHandler]
@MainActor
public protocol WKURLSchemeHandler: NSObjectProtocol {
    // webkit/wkurlschemehandler/webview(_:start:) [WKURLSchemeHandler webView:startURLSchemeTask:]
    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask)
    // webkit/wkurlschemehandler/webview(_:stop:) [WKURLSchemeHandler webView:stopURLSchemeTask:]
    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask)
}

// webkit/wkurlschemetask [WKURLSchemeTask]
public protocol WKURLSchemeTask: NSObjectProtocol {
    // webkit/wkurlschemetask/request [WKURLSchemeTask request]
    var request: URLRequest { get }
    // webkit/wkurlschemetask/didreceive(_:)-2u23r [WKURLSchemeTask didReceiveResponse:]
    func didReceive(_ response: URLResponse)
    // webkit/wkurlschemetask/didreceive(_:)-8t5f8 [WKURLSchemeTask didReceiveData:]
    func didReceive(_ data: Data)
    // webkit/wkurlschemetask/didfinish() [WKURLSchemeTask didFinish]
    func didFinish()
    // webkit/wkurlschemetask/didfailwitherror(_:) [WKURLSchemeTask didFailWithError:]
    func didFailWithError(_ error: any Error)
}

/// The task that a handler receives. Believed: WebKit lets a call off the main thread wait for the main thread. The
/// double is stricter and ends the process.
final class SchemeTask: NSObject, WKURLSchemeTask {
    let request: URLRequest
    private let page: PageTask

    init(_ request: URLRequest, _ page: PageTask) { (self.request, self.page) = (request, page) }

    func didReceive(_ response: URLResponse) { onMain { $0.receive(response) } }
    func didReceive(_ data: Data) { onMain { $0.receive(data) } }
    func didFinish() { onMain { $0.complete(nil) } }
    func didFailWithError(_ error: any Error) { onMain { $0.complete(error) } }

    private func onMain(_ call: @MainActor (PageTask) -> Void) {
        MainActor.preconditionIsolated("a URL scheme task was called off the main actor")
        MainActor.assumeIsolated { [page] in call(page) }
    }
}

/// The page's side of a scheme task: the request, and what the task has received.
@_spi(Driver)
@MainActor
public final class PageTask {
    /// The end of a task.
    public enum End { case finished, failed(any Error), stopped }

    public let request: URLRequest
    public private(set) var responses: [URLResponse] = []
    public private(set) var chunks: [Data] = []
    public private(set) var end: End?
    private let handler: any WKURLSchemeHandler
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private weak var object: SchemeTask?

    init(_ request: URLRequest, _ handler: any WKURLSchemeHandler) { (self.request, self.handler) = (request, handler) }

    public var data: Data { chunks.reduce(Data(), +) }

    func start(in view: WKWebView) {
        let task = SchemeTask(request, self)
        (object, running) = (task, task)
        handler.webView(view, start: task)
    }

    /// The engine's reference to a task that runs.
    private var running: SchemeTask?

    /// Stops the task, if it has not ended. The task is stopped already when the handler is called.
    func stop(in view: WKWebView) {
        guard end == nil, let task = running else { return }
        conclude(.stopped)
        handler.webView(view, stop: task)
    }

    /// Returns when the task has a response or has ended, or when the test is cancelled.
    public func waitForResponse() async { await wait { !self.responses.isEmpty || self.end != nil } }

    /// Returns when the task has ended, or when the test is cancelled.
    public func waitForEnd() async { await wait { self.end != nil } }

    private func wait(_ condition: () -> Bool) async {
        while !condition(), !Task.isCancelled {
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiting.append($0) }
            } onCancel: {
                Task { await self.changed() }
            }
        }
    }

    fileprivate func receive(_ response: URLResponse) {
        requireRunning()
        guard chunks.isEmpty else { misuse("a URL scheme task received a response after data") }
        responses.append(response)
        changed()
    }

    fileprivate func receive(_ data: Data) {
        requireRunning()
        guard !responses.isEmpty else { misuse("a URL scheme task received data before a response") }
        chunks.append(data)
        changed()
    }

    /// Ends the task. An error is allowed before a response.
    fileprivate func complete(_ error: (any Error)?) {
        requireRunning()
        guard error != nil || !responses.isEmpty else { misuse("a URL scheme task finished before a response") }
        conclude(error.map { .failed($0) } ?? .finished)
    }

    private func requireRunning() {
        switch end {
        case nil: break
        case .stopped: misuse("a URL scheme task was called after it was stopped")
        case .finished, .failed: misuse("a URL scheme task was called after it was completed")
        }
    }

    private func conclude(_ end: End) {
        (self.end, running) = (end, nil)
        changed()
    }

    private func changed() {
        let continuations = waiting
        waiting = []
        for continuation in continuations { continuation.resume() }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Network

/// A call of `callAsyncJavaScript`.
@_spi(Driver)
public struct PageScript {
    public let functionBody: String
    public let arguments: [String: Any]
    public let frame: WKFrameInfo?
    public let world: WKContentWorld
}

/// The end of `postMessage` in a page.
@_spi(Driver)
public enum PageReply {
    /// The world has no handler with the name.
    case noHandler
    /// The handler gives no replies.
    case none
    case value(Any?)
    case error(String)
}

/// The page side of a view, by which a test plays the page, the network and the processes of the engine.
@_spi(Driver)
@MainActor
public final class PageDriver {
    weak var view: WKWebView?
    let list = WKBackForwardList()
    /// The navigation of the main frame that has not ended.
    public internal(set) var navigation: PageNavigation?
    /// All tasks, in the order of their start.
    public private(set) var tasks: [PageTask] = []
    /// A closure that receives each navigation that the app requests, when the call of the app returns.
    public var onNavigation: (@MainActor (PageNavigation) async -> Void)?
    /// A closure that evaluates scripts; without it they return `undefined`.
    public var onScript: (@MainActor (PageScript) async throws -> Any?)?
    /// A closure that draws snapshots; without it they fail.
    public var onSnapshot: (@MainActor () async -> (PlatformImage?, (any Error)?))?
    public var camera = WKMediaCaptureState.none
    public var microphone = WKMediaCaptureState.none
    public internal(set) var documentURL: URL?
    var progress = 0.0
    /// Running navigations that a newer one replaces when it starts.
    private var replaced: [PageNavigation] = []
    private var calls: [Answer<Result<Any?, any Error>>] = []
    private var questions: [() -> String?] = []

    /// The title of the document.
    public var title: String? {
        get { documentTitle }
        set {
            documentTitle = newValue
            if list.currentItem?.url == documentURL { list.currentItem?.title = newValue }
        }
    }
    private var documentTitle: String?

    var activeURL: URL? {
        running.last { $0.isOfApp || $0.isRunning }?.request.url ?? documentURL
    }

    func frame(isMain: Bool = true) -> WKFrameInfo { WKFrameInfo(documentURL, isMainFrame: isMain, in: view) }

    // MARK: Delegates

    /// Asks a delegate and returns the value that it passes to its completion handler.
    func ask<Value>(_ handler: String, _ call: (Reply<Value>) -> Void) async -> Value {
        let answer = Answer<Value>(handler)
        questions.append { answer.value == nil ? handler : nil }
        call(Reply(answer))
        return await answer.wait()
    }

    /// Ends the process if a completion handler is held without a call.
    public func drain() {
        questions.removeAll { $0() == nil }
        if let handler = questions.first?() { misuse("the completion handler of \(handler) was never called") }
    }

    /// Asks the delegate for credentials or trust.
    public func challenge(_ challenge: URLAuthenticationChallenge) async
        -> (URLSession.AuthChallengeDisposition, URLCredential?)
    {
        guard let view, let delegate = view.navigationDelegate else { return (.performDefaultHandling, nil) }
        return await ask("didReceive challenge") { reply in
            delegate.webView(view, didReceive: challenge) { reply.call(($0, $1)) }
        }
    }

    // MARK: Navigations

    /// Starts a navigation for the app.
    func request(
        _ request: URLRequest, _ type: WKNavigationType, _ entry: PageNavigation.Entry,
        _ simulated: (response: URLResponse, data: Data)? = nil
    ) -> WKNavigation {
        let action = WKNavigationAction(request, type, from: frame(), in: frame(), isDownload: false)
        var entry = entry
        // Believed, from `FrameLoadType::Same` in WebKit's sources: a load of the current item's URL replaces the item.
        // A device shows it by the list after such a load.
        if case .new = entry, list.currentItem?.url == request.url { entry = .same }
        let requested = begin(PageNavigation(self, action, entry, isOfApp: true, simulated: simulated))
        if let onNavigation { Task { await onNavigation(requested) } }
        return requested.navigation
    }

    /// Starts a navigation by the page, of the main frame or of another frame.
    public func navigate(
        _ request: URLRequest, type: WKNavigationType = .linkActivated, inFrame: Bool = false, isDownload: Bool = false
    ) -> PageNavigation {
        let target = frame(isMain: !inFrame)
        let action = WKNavigationAction(request, type, from: target, in: target, isDownload: isDownload)
        let requested = PageNavigation(self, action, type == .reload ? .same : .new, isOfApp: false)
        return inFrame ? requested : begin(requested)
    }

    private func begin(_ requested: PageNavigation) -> PageNavigation {
        if let navigation, !navigation.isRunning { navigation.end() }
        if let navigation { replaced.append(navigation) }
        navigation = requested
        return requested
    }

    private var running: [PageNavigation] { replaced + [navigation].compactMap(\.self) }

    func stopLoading() {
        for navigation in running { navigation.fail(URLError(.cancelled)) }
        if let view { stopTasks(in: view) }
    }

    func failReplaced() {
        let navigations = replaced
        replaced = []
        for navigation in navigations { navigation.fail(URLError(.cancelled)) }
    }

    /// The proxy of the next connection of the page; `nil` for a direct connection.
    public var proxy: ProxyConfiguration? {
        guard let store = view?.configuration.websiteDataStore, !store.ignoresProxies else { return nil }
        return store.proxyConfigurations.first
    }

    /// Removes a navigation that has ended. If it has not started, the one before it continues.
    func remove(_ ended: PageNavigation) {
        replaced.removeAll { $0 === ended }
        if navigation === ended { navigation = replaced.popLast() }
    }

    func commit(_ committed: PageNavigation) {
        endDocument(WKError(.javaScriptExceptionOccurred, exception: Self.unreachable), except: committed.task)
        documentURL = committed.request.url
        documentTitle = nil
        switch committed.entry {
        case .new: if let documentURL { list.add(documentURL) }
        case .item(let index): list.move(to: index)
        case .same, .none: break
        }
    }

    /// Changes the URL of the document, which stays.
    func scroll(to url: URL?) {
        if let url, documentURL != url { list.add(url) }
        documentURL = url
    }

    /// Believed, from WebKit's sources: the text of a call whose document was replaced. A device shows it by a
    /// navigation during a call.
    private static let unreachable = "Completion handler for function call is no longer reachable"

    // MARK: Scheme tasks

    /// Starts a task for a request, as a page or a navigation does; `nil` if the scheme has no handler.
    @discardableResult
    public func startTask(_ request: URLRequest) -> PageTask? {
        guard let view, let scheme = request.url?.scheme,
            let handler = view.configuration.urlSchemeHandler(forURLScheme: scheme)
        else { return nil }
        let task = PageTask(request, handler)
        tasks.append(task)
        task.start(in: view)
        return task
    }

    /// Stops a task, as a page does that no longer needs the response.
    public func stop(_ task: PageTask) {
        guard let view else { return }
        task.stop(in: view)
    }

    func stopTasks(in view: WKWebView, except kept: PageTask? = nil) {
        for task in tasks where task !== kept { task.stop(in: view) }
    }

    // MARK: Scripts

    /// Runs a script with the closure of the test, until the document or the process ends.
    func call(_ script: PageScript) async throws -> Any? {
        guard let onScript else { return nil }
        let answer = Answer<Result<Any?, any Error>>("callAsyncJavaScript")
        calls.append(answer)
        Task {
            do { answer.set(.success(try await onScript(script))) } catch { answer.set(.failure(error)) }
        }
        return try await answer.wait().get()
    }

    private func endDocument(_ error: any Error, except task: PageTask? = nil) {
        let ended = calls
        calls = []
        for call in ended { call.set(.failure(error)) }
        if let view { stopTasks(in: view, except: task) }
    }

    /// Posts a message from a script, and returns its reply.
    ///
    /// Documented: the body and the reply are NSNumber, NSString, NSDate, NSArray, NSDictionary or NSNull. Believed: a
    /// reply that never comes rejects the promise. The double is stricter and ends the process.
    /// - Parameters:
    ///   - inFrame: a Boolean value that indicates whether a frame posts.
    ///   - origin: the URL that determines the origin of the frame; that of the document by default.
    public func post(
        _ body: Any, to name: String, in world: WKContentWorld? = nil, inFrame: Bool = false, origin: URL? = nil
    ) async -> PageReply {
        guard let view else { return .noHandler }
        let world = world ?? .page
        let controller = view.configuration.userContentController
        let frame = WKFrameInfo(origin ?? documentURL, isMainFrame: !inFrame, in: view)
        let message = WKScriptMessage(body, view, frame, name, world)
        switch controller.handlers[.init(name: name, world: ObjectIdentifier(world))] {
        case nil: return .noHandler
        case .silent(let handler):
            handler.userContentController(controller, didReceive: message)
            return .none
        case .replying(let handler):
            let (value, error): (Any?, String?) = await ask("didReceive message") { reply in
                handler.userContentController(controller, didReceive: message) { reply.call(($0, $1)) }
            }
            if let error { return .error(error) }
            guard value.map(Self.isSerializable) ?? true else {
                return .error("The result value passed back from the webkit message handler is not serializable")
            }
            return .value(value)
        }
    }

    private static func isSerializable(_ value: Any) -> Bool {
        switch value {
        case let list as [Any]: list.allSatisfy(isSerializable)
        case let object as [String: Any]: object.values.allSatisfy(isSerializable)
        default:
            value is NSNull || value is NSNumber || value is NSString || value is NSDate
                || value is String || value is Bool || value is Int || value is Double || value is Date
        }
    }

    // MARK: Processes

    /// Ends the web process.
    ///
    /// Believed: tasks are stopped, scripts fail with `webContentProcessTerminated`, URL and title become `nil`, the
    /// navigation ends without a call, and the list stays. A device shows it by the end of the process under load.
    public func terminateProcess() {
        guard let view else { return }
        for navigation in running { navigation.end() }
        endDocument(WKError(.webContentProcessTerminated))
        (documentURL, documentTitle, progress) = (nil, nil, 0)
        view.navigationDelegate?.webViewWebContentProcessDidTerminate(view)
    }

    /// Ends the page of a view that is released.
    func close(_ view: WKWebView) {
        stopTasks(in: view)
        for navigation in running { navigation.end() }
        endDocument(WKError(.webViewInvalidated))
        (onNavigation, onScript) = (nil, nil)
    }
}

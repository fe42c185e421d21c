// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import HTTPTypes
import ResourceLoading
import WebEngine
@_spi(Driver) import WebKit

@testable import WKWebViewAdapter

/// An engine with one view, whose loads run by themselves, and the record of its signals.
@MainActor
final class Fixture {
    let engine = WKWebViewEngine()
    let view: WKWebViewView
    let web: WKWebView
    private(set) var signals: [String] = []
    private(set) var errors: [EngineError] = []
    var page: PageDriver { web.page }
    var list: [String] {
        (web.backForwardList.backList + [web.backForwardList.currentItem].compactMap(\.self)).map(\.url.absoluteString)
    }

    init(_ schemes: [String: SchemeHandler] = [:]) throws {
        for (name, handler) in schemes {
            try engine.register(CustomScheme(name: name, isSecure: true), handler: handler)
        }
        view = try engine.makeView()
        guard let web = view.webView else { throw EngineError.viewEnded }
        self.web = web
        view.onSignal = { [weak self] in self?.record($0) }
        web.page.onNavigation = { await $0.run() }
    }

    private func record(_ signal: ViewSignal) {
        switch signal {
        case .started(let url): signals.append("started \(url)")
        case .committed(let url): signals.append("committed \(url)")
        case .finished(let url): signals.append("finished \(url)")
        case .stopped(let url): signals.append("stopped \(url)")
        case .failed(let url, let error):
            signals.append("failed \(url)")
            errors.append(error)
        case .frameLoaded(let url): signals.append("frame \(url)")
        case .processEnded: signals.append("ended")
        case .resource, .visibilityChanged: signals.append("other")
        }
    }

    /// Waits until a signal arrives, and returns the signals until then.
    @discardableResult
    func signals(until last: String) async throws -> [String] {
        try await until { signals.last == last }
        defer { signals = [] }
        return signals
    }

    /// Loads a URL to its end.
    func open(_ url: String) async throws {
        view.load(url)
        try await signals(until: "finished \(url)")
    }

    /// Performs a navigation of the page to its end.
    func navigate(_ url: String, _ type: WKNavigationType = .linkActivated) async {
        await page.navigate(request(url), type: type).run()
    }
}

extension Fixture {
    /// The signals of a complete load.
    static func load(_ url: String) -> [String] { ["started \(url)", "committed \(url)", "finished \(url)"] }

    /// Gives the documents of an origin to the view, and records the navigations.
    func give(_ origin: String, script: String = "") -> NavigationRecord {
        let record = NavigationRecord()
        view.loading.documents?.answerNavigations { navigation in
            record.navigations.append(navigation)
            await record.gate?()
            guard record.isGiving, navigation.url.hasPrefix(origin) else { return nil }
            return EngineDocument(url: navigation.url, html: "<p>given", script: script) {
                record.shown.append(navigation.url)
            }
        }
        return record
    }
}

@MainActor
final class NavigationRecord {
    var navigations: [EngineNavigation] = []
    var shown: [String] = []
    var isGiving = true
    var gate: (@MainActor () async -> Void)?
    var urls: [String] { navigations.map(\.url) }
}

func url(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: text) }

func request(_ text: String, method: String = "GET") -> URLRequest {
    var request = URLRequest(url: url(text))
    request.httpMethod = method
    return request
}

/// Awaits a task. If the time limit of the test ends the wait, the task is cancelled.
func result<Success: Sendable>(of task: Task<Success, Never>) async -> Success {
    await withTaskCancellationHandler {
        await task.value
    } onCancel: {
        task.cancel()
    }
}

/// Awaits a task that may throw. If the time limit of the test ends the wait, the task is cancelled.
func result<Success: Sendable>(of task: Task<Success, any Error>) async throws -> Success {
    try await withTaskCancellationHandler {
        try await task.value
    } onCancel: {
        task.cancel()
    }
}

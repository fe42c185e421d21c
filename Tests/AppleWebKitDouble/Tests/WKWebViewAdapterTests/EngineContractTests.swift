// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import Testing
import WebEngine
import WebEngineTesting
@_spi(Driver) import WebKit

@testable import WKWebViewAdapter

@MainActor
@Suite("Engine contract", .timeLimit(.minutes(2)))
struct EngineContractTests {
    /// The checks that the double cannot run. A check that is skipped in addition fails.
    private static let skipped: Set<String> = ["cookieSameSite"]

    @Test("The adapter meets the contract", arguments: EngineContract.checks)
    func check(_ check: EngineContractCheck) async throws {
        let site = DoubleSite()
        let outcome = try await check.run(at: site)
        #expect((outcome != .passed) == Self.skipped.contains(check.name), "\(outcome)")
        site.drain()
    }

    @Test("The names of the checks differ, and the skipped ones are among them")
    func names() {
        let names = EngineContract.checks.map(\.name)
        #expect(Set(names).count == names.count && Self.skipped.isSubset(of: names))
    }
}

/// The adapter with the double of WebKit.
@MainActor
private final class DoubleSite: EngineContractSite {
    let missingAbilities: [EngineContractAbility: String] = [
        .sameSite: "Foundation on Linux lacks the attribute"
    ]
    /// The web views, which an app shows longer than their views exist.
    private var pages: [ViewID: (web: WKWebView, scripts: PageScripts)] = [:]
    private var watch: Task<Void, Never>?

    func makeEngine() throws -> any WebEngineDriver {
        let engine = WKWebViewEngine()
        watch = Task { [weak engine, weak self] in
            while !Task.isCancelled, let views = engine?.openViews {
                for view in views { self?.runLoads(of: view) }
                await Task.yield()
            }
        }
        return engine
    }

    /// Prepares a view that the engine has created for itself, and runs its first load.
    private func runLoads(of view: WKWebViewView) {
        guard pages[view.id] == nil, let navigation = view.webView?.page.navigation else { return }
        prepare(view)
        Task { await navigation.run() }
    }

    func prepare(_ view: any EngineView) {
        guard pages[view.id] == nil, let web = (view as? WKWebViewView)?.webView else { return }
        let scripts = PageScripts()
        pages[view.id] = (web, scripts)
        web.page.onNavigation = { [weak web] navigation in
            if let web { scripts.begin(in: web) }
            await navigation.run()
        }
        web.page.onScript = { [weak web] in try await scripts.run($0, in: web) }
    }

    deinit { watch?.cancel() }

    /// Ends the process if a completion handler is held without a call.
    func drain() { for (web, _) in pages.values { web.page.drain() } }

    private func page(of view: any EngineView) throws -> PageDriver {
        guard let page = pages[view.id]?.web.page else { throw EngineError.viewEnded }
        return page
    }

    func send(_ request: EngineContractRequest, in view: any EngineView) async throws -> EngineContractResponse {
        let page = try page(of: view)
        var sent = WKWebViewAdapterTests.request(request.url, method: request.method.rawValue)
        for field in request.fields { sent.setValue(field.value, forHTTPHeaderField: field.name.canonicalName) }
        sent.httpBody = request.body.map { Data($0.utf8) }
        guard let task = page.startTask(sent) else {
            return EngineContractResponse(status: nil, field: nil, body: Data(), error: "no handler")
        }
        await withTaskCancellationHandler {
            await task.waitForEnd()
        } onCancel: {
            Task { @MainActor in page.stop(task) }
        }
        let head = task.responses.last as? HTTPURLResponse
        var error: String?
        switch task.end {
        case .finished: break
        case .failed(let failure): error = "\(failure)"
        case .stopped, nil: error = "stopped"
        }
        return EngineContractResponse(
            status: head?.statusCode, field: head?.value(forHTTPHeaderField: "X-Contract"), body: task.data,
            error: error)
    }

    func post(
        _ json: String, to handler: String, in world: ScriptWorld, of view: any EngineView
    ) async throws -> EngineContractReply {
        switch try await page(of: view).post(try ScriptValue.value(of: json), to: handler, in: world.contentWorld) {
        case .noHandler: .noHandler
        case .none, .error: .rejected
        case .value(let value): .value(try ScriptValue.json(of: value))
        }
    }

    func navigate(to url: String, in view: any EngineView) async throws {
        let page = try page(of: view)
        let navigation = page.navigate(request(url))
        if let document = page.documentURL?.absoluteString, url.hasPrefix(document + "#") {
            // WebKit asks for the policy, and reports neither a start nor a commit.
            await navigation.decide()
        } else {
            if let (web, scripts) = pages[view.id] { scripts.begin(in: web) }
            await navigation.run()
        }
    }

    func open(_ dialog: DialogKind, message: String, in view: any EngineView) async throws -> String {
        let page = try page(of: view)
        switch dialog {
        case .alert:
            await page.alert(message)
            return "null"
        case .confirm: return await page.confirm(message).description
        case .prompt(let text): return try ScriptValue.json(of: await page.prompt(message, default: text))
        case .leave: throw EngineError(.script, "WebKit has no such delegate call")
        }
    }

    func endProcess(of view: any EngineView) async throws { try page(of: view).terminateProcess() }

    func cookieObservers(of engine: any WebEngineDriver) throws -> Int {
        (engine as? WKWebViewEngine)?.dataStore.httpCookieStore.observerCount ?? 0
    }
}

/// The scripts of a page, which the double does not run: it recognizes those of the checks.
@MainActor
private final class PageScripts {
    /// The logs of the document by world.
    private var logs: [ObjectIdentifier: String] = [:]

    /// Begins a document with the user scripts of the configuration.
    func begin(in web: WKWebView) {
        logs = [:]
        let scripts = web.configuration.userContentController.userScripts
        for time in [WKUserScriptInjectionTime.atDocumentStart, .atDocumentEnd] {
            for script in scripts where script.injectionTime == time { append(script.source, in: script.world) }
        }
    }

    private func append(_ source: String, in world: WKContentWorld) {
        guard case .append(let letter)? = EngineContractScript(source: source) else { return }
        logs[ObjectIdentifier(world), default: ""].append(letter)
    }

    func run(_ script: PageScript, in web: WKWebView?) async throws -> Any? {
        switch EngineContractScript(source: script.functionBody) {
        case .throwing(let message):
            throw WKError(.javaScriptExceptionOccurred, exception: "TypeError: \(message)")
        case .unserializable: throw WKError(.javaScriptResultTypeIsUnsupported)
        case .waiting:
            for await _ in AsyncStream<Void>.makeStream().stream {}
            return nil
        case .append:
            append(script.functionBody, in: script.world)
            return nil
        case .log: return logs[ObjectIdentifier(script.world)] ?? ""
        case .origin:
            guard let url = web?.url, let scheme = url.scheme, let host = url.host else { return "null" }
            return "\(scheme)://\(host)"
        case .constant("undefined"), nil: return nil
        case .constant(let expression):
            let json = EngineContractScript.constants.first { $0.expression == expression }?.json
            return try json.map { try ScriptValue.value(of: $0) }
        }
    }
}

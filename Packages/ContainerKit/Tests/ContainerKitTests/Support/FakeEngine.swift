// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import HTTPTypes
import ResourceLoading
import SchemeRouter
import WebViewPool

/// An engine without a web: it notes what it is asked for, and lets a test send requests through its schemes.
@MainActor
final class FakeEngine: WebEngine {
    let name = "Fake 1.0"
    let cookies: any EngineCookieStore = FakeCookies()
    private(set) var views: [FakeView] = []
    private var handlers: [String: SchemeHandler] = [:]

    func traits(in mode: InterceptionMode) -> EngineTraits {
        EngineTraits(
            keepsBodies: false, keepsCookies: false, followsRedirects: false, preflights: false, decodes: false,
            identifiesPage: true)
    }

    func register(_ scheme: CustomScheme, handler: @escaping SchemeHandler) throws {
        handlers[scheme.name] = handler
    }

    func makeView() throws -> FakeView {
        let view = FakeView(id: ViewID(rawValue: UInt64(views.count + 1)))
        views.append(view)
        return view
    }

    func setProxy(_ proxy: EngineProxy?) {}

    /// Sends a request as a page of `view` would, and returns what it heard.
    @discardableResult
    func send(
        _ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], from view: FakeView? = nil
    ) -> (sink: FakeSink, delivery: SchemeTaskDelivery?) {
        let sink = FakeSink()
        guard let head = HTTPRequest(method: method, urlText: url, headerFields: fields) else { return (sink, nil) }
        let request = EngineRequest(head: head, view: view?.id, isMainDocument: false)
        return (sink, handlers[head.scheme ?? ""]?(request, sink))
    }
}

@MainActor
final class FakeView: EngineView {
    let id: ViewID
    var onSignal: (@MainActor (ViewSignal) -> Void)?
    var isAlive = true
    private(set) var loads: [String] = []

    init(id: ViewID) {
        self.id = id
    }

    func load(_ url: String) { loads.append(url) }
    func stopLoading() {}
    func evaluate(_ functionBody: String, in world: ScriptWorld) async throws -> String { "null" }
    func add(_ script: UserScript) {}
    func warmUp() async throws {}
    func reset() async throws { loads.removeAll() }
    func discard() { isAlive = false }

    func snapshot() async throws -> PageSnapshot {
        throw EngineError(.snapshot, "nothing to see")
    }

    func setMessageHandler(
        named name: String, in world: ScriptWorld,
        _ handler: @escaping @MainActor (ScriptMessage) async throws -> String
    ) {}
}

/// Hears the answer to one request.
@MainActor
final class FakeSink: SchemeTaskSink {
    private(set) var status: Int?
    private(set) var body = Data()
    private(set) var error: ResourceError?

    func receive(_ head: HTTPResponse, length: Int64?) { status = head.status.code }
    func receive(_ data: Data) async throws { body += data }
    func finish() {}
    func fail(_ error: ResourceError) { self.error = error }

    func receive(_ head: HTTPResponse, whole body: WholeBody) {
        status = head.status.code
        switch body {
        case .bytes(let data): self.body = data
        case .file(let slice): self.body = (try? slice.read()) ?? Data()
        }
    }
}

@MainActor
private final class FakeCookies: EngineCookieStore {
    func all() async throws -> [EngineCookie] { [] }
    func set(_ cookie: EngineCookie) async throws {}
    func remove(name: String, domain: String, path: String) async throws {}
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebEngine

/// One run of a check: its engine, its site, and the expectations.
@MainActor
final class ContractRun {
    let site: any EngineContractSite
    let engine: any WebEngineDriver
    private let check: EngineContractCheck
    /// The event that the check waits for.
    var awaited: String?

    static let scheme = "contract"
    static let origin = "contract://site.example"
    static let home = origin + "/"
    static let aside = ScriptWorld.isolated(name: "contract-aside")

    init(of check: EngineContractCheck, at site: any EngineContractSite, _ engine: any WebEngineDriver) {
        (self.check, self.site, self.engine) = (check, site, engine)
    }

    // MARK: Expectations

    func expect(_ condition: Bool, _ expected: String, seen: @autoclosure () -> String = "the opposite") throws {
        guard condition else { throw check.failure(expected, seen: seen()) }
    }

    func expect<Value: Equatable>(_ seen: Value, _ expected: Value, _ subject: String) throws {
        try expect(seen == expected, "\(subject): \(expected)", seen: "\(seen)")
    }

    func expectError(
        _ codes: Set<EngineError.Code>, _ subject: String, _ body: @MainActor () async throws -> Void
    ) async throws {
        let expected = "\(subject): an error with code \(codes.map { "\($0)" }.sorted().joined(separator: " or "))"
        do {
            try await body()
        } catch let error as EngineError where codes.contains(error.code) {
            return
        } catch {
            try Task.checkCancellation()
            throw check.failure(expected, seen: "\(error)")
        }
        throw check.failure(expected, seen: "no error")
    }

    /// Waits for a condition, which the text names.
    func wait(for what: String, _ condition: () throws -> Bool) async throws {
        awaited = what
        while try !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
        awaited = nil
    }

    // MARK: Views

    func makeView() throws -> any EngineView {
        let view = try engine.makeView()
        site.prepare(view)
        return view
    }

    /// Registers the scheme of the checks, with a page at the root and at the other paths.
    func serve(_ responses: [String: ContractServer.Response] = [:]) throws -> ContractServer {
        let server = ContractServer(responses)
        try engine.register(CustomScheme(name: Self.scheme, isSecure: true), handler: server.handler)
        return server
    }

    /// Loads a URL to its end, and returns the signals until then.
    @discardableResult
    func load(_ url: String = home, in view: any EngineView) async throws -> [String] {
        let log = SignalLog(of: view)
        view.loading.load(url)
        try await wait(for: "the signal finished of \(url)") { log.entries.contains("finished \(url)") }
        return log.entries
    }

    /// Creates a view that shows the page at the root.
    func open() async throws -> any EngineView {
        let view = try makeView()
        try await load(in: view)
        return view
    }

    func evaluate(
        _ script: EngineContractScript, in world: ScriptWorld = .page, of view: any EngineView
    ) async throws -> String { try await view.scripting.evaluate(script.source, in: world) }
}

/// The signals of a view about loads and its process, as texts such as `committed URL`.
@MainActor
final class SignalLog {
    private(set) var entries: [String] = []
    private(set) var errors: [EngineError] = []

    /// Creates the log and sets it as the receiver of the view's signals.
    init(of view: any EngineView) {
        view.onSignal = { [weak self] in self?.record($0) }
    }

    func clear() { entries = [] }

    private func record(_ signal: ViewSignal) {
        switch signal {
        case .started: entries.append("started")
        case .committed(let url): entries.append("committed \(url)")
        case .finished(let url): entries.append("finished \(url)")
        case .stopped(let url): entries.append("stopped \(url)")
        case .failed(let url, let error):
            entries.append("failed \(url)")
            errors.append(error)
        case .processEnded: entries.append("processEnded")
        case .resource, .frameLoaded, .visibilityChanged: break
        }
    }
}

/// A reference by which a check sees whether a closure was released.
final class ReleaseProbe: Sendable {
    /// Does nothing: a closure retains the object by this call.
    func touch() {}
}

/// The handler of the scheme of the checks: it records requests and outcomes, and selects the response by the path.
@MainActor
final class ContractServer {
    /// The response to a path.
    enum Response {
        /// A page.
        case page
        /// The status 201, the header field `X-Contract: yes`, and a body.
        case body(ResourceBody)
        /// An error before the response.
        case failure
        /// No response until the task is stopped.
        case nothing
    }

    private(set) var requests: [EngineRequest] = []
    private(set) var bodies: [ResourceBody?] = []
    private(set) var outcomes: [String: SchemeTaskDelivery.Outcome] = [:]
    private let responses: [String: Response]

    init(_ responses: [String: Response]) { self.responses = responses }

    /// The paths of the requests, in order.
    var paths: [String] { requests.compactMap(\.head.path) }

    var handler: SchemeHandler {
        { [self] request, sink in
            requests.append(request)
            bodies.append(try? request.body?())
            let delivery = SchemeTaskDelivery(to: sink)
            let path = request.head.path ?? ""
            delivery.start(
                answer: { try await self.response(to: path) }, completion: { self.outcomes[path] = $0 })
            return delivery
        }
    }

    func isStopped(_ path: String) -> Bool { if case .stopped? = outcomes[path] { true } else { false } }

    /// The number of bytes of a complete response; `nil` if the response is not complete.
    func finishedBytes(_ path: String) -> Int64? {
        if case .finished(let bytes)? = outcomes[path] { bytes } else { nil }
    }

    private func response(to path: String) async throws -> ResourceResponse {
        switch responses[path] ?? .page {
        case .page:
            return ResourceResponse(
                head: HTTPResponse(status: .ok, headerFields: [.contentType: "text/html"]),
                body: .bytes(Data("<!doctype html><title>contract</title><p>page".utf8)),
                provenance: Provenance(.synthetic, reason: "a check"))
        case .body(let body):
            var head = HTTPResponse(status: .created, headerFields: [.contentType: "text/html"])
            if let name = HTTPField.Name("X-Contract") { head.headerFields[name] = "yes" }
            return ResourceResponse(
                head: head, body: body, provenance: Provenance(.synthetic, reason: "a check"))
        case .failure: throw ResourceError(.offline, "a failure of the check")
        case .nothing:
            for await _ in AsyncStream<Void>.makeStream().stream {}
            throw CancellationError()
        }
    }
}

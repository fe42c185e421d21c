// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import SystemSupport
import Testing
import WebEngine
import WebEngineTesting

@MainActor
@Suite("Engine contract of the fake engine", .timeLimit(.minutes(2)))
struct FakeEngineContractTests {
    /// The checks that the fake engine cannot run. A check that is skipped in addition fails.
    private static let skipped: Set<String> = [
        "stopBeforeCommit", "stopAfterCommit", "replacedLoad", "reload", "errorPage", "pageNavigation",
        "fragmentNavigation", "givenDocument", "givenOrigin", "redirectedDocument", "replacedDocumentClosure",
        "refusedDocument", "lateDocument", "scriptValues", "scriptErrors", "endedScripts", "scriptWorlds",
        "userScripts", "invalidReplies", "handlerWorlds", "endedMessages", "pendingHandlers", "cookieObservers",
        "loadAfterProcessEnd", "resetView", "releasedView", "documentPrompt", "promptOfEndedView",
    ]

    @Test("The fake engine meets the contract", arguments: EngineContract.checks)
    func check(_ check: EngineContractCheck) async throws {
        let outcome = try await check.run(at: FakeSite())
        #expect((outcome != .passed) == Self.skipped.contains(check.name), "\(outcome)")
    }

    @Test("The names of the checks differ, and the skipped ones are among them")
    func names() {
        let names = EngineContract.checks.map(\.name)
        #expect(Set(names).count == names.count && Self.skipped.isSubset(of: names))
    }

    @Test("A failed check is reported in one line, with the check and the symbol")
    func failure() async throws {
        let check = try #require(EngineContract.checks.first { $0.name == "refusedSchemes" })
        let failure = try #require(
            await #expect(throws: EngineContractFailure.self) { try await check.run(at: LenientSite()) })
        #expect(
            "\(failure)" == "refusedSchemes (WebEngineDriver.register(_:handler:)): expected the scheme 'https': "
                + "an error with code scheme-taken, seen no error")
    }
}

/// The fake engine. The site performs the actions of its pages.
@MainActor
private class FakeSite: EngineContractSite {
    let missingAbilities: [EngineContractAbility: String] = [
        .scripts: "no script runs", .worlds: "message handlers have no worlds",
        .loadControl: "the test controls the signals of loads", .navigation: "pages do not navigate",
        .documents: "the engine asks for no documents", .replyCheck: "the test gets each reply",
        .messageEnds: "the test calls the handlers", .release: "the engine retains its views",
        .reset: "a reset keeps the handlers", .cookieObservers: "there is no cookie store of a system",
        .promptEnds: "the test ends the prompts",
    ]
    private weak var engine: FakeEngine?

    func makeEngine() throws -> any WebEngineDriver {
        let engine = FakeEngine()
        self.engine = engine
        return engine
    }

    func prepare(_ view: any EngineView) {
        guard let view = view as? FakeView else { return }
        view.onLoad = { [weak view, weak engine] in
            Task { if let view { await engine?.load(view) } }
        }
    }

    func send(_ request: EngineContractRequest, in view: any EngineView) async throws -> EngineContractResponse {
        guard let engine else { throw EngineError(.processEnded, "the engine was released") }
        let sink = engine.send(request.url, request.method, request.fields, from: view as? FakeView)
        await withTaskCancellationHandler {
            await sink.end()
        } onCancel: {
            Task { @MainActor in sink.drop() }
        }
        let error = sink.error?.description ?? (sink.status == nil ? "no response" : nil)
        let field = sink.fields.first { $0.name.canonicalName == "x-contract" }?.value
        return EngineContractResponse(status: sink.status, field: field, body: sink.body, error: error)
    }

    func post(
        _ json: String, to handler: String, in world: ScriptWorld, of view: any EngineView
    ) async throws -> EngineContractReply {
        guard let view = view as? FakeView, let answer = view.handlers[handler] else { return .noHandler }
        do {
            return .value(try await answer(ScriptMessage(json: json, documentURL: view.loads.last ?? "")))
        } catch {
            return .rejected
        }
    }

    func navigate(to url: String, in view: any EngineView) async throws { throw Self.missing }

    func open(_ dialog: DialogKind, message: String, in view: any EngineView) async throws -> String {
        guard let view = view as? FakeView else { throw Self.missing }
        if case .prompt = dialog, let prefix = view.promptPrefix, message.hasPrefix(prefix) {
            return "\"\(view.prompt(String(message.dropFirst(prefix.count))))\""
        }
        switch (dialog, await view.requestDecision(.dialog(dialog, message: message))) {
        case (.alert, _), (.prompt, .no): return "null"
        case (.prompt, .text(let text)), (.prompt(let text), .yes): return "\"\(text)\""
        case (.confirm, let answer), (.leave, let answer): return (answer == .yes).description
        }
    }

    func endProcess(of view: any EngineView) async throws { (view as? FakeView)?.crash() }

    func cookieObservers(of engine: any WebEngineDriver) throws -> Int { throw Self.missing }

    private static let missing = EngineError(.script, "the site lacks the ability")
}

/// A site of an engine that accepts each scheme.
@MainActor
private final class LenientSite: FakeSite {
    override func makeEngine() throws -> any WebEngineDriver { LenientEngine() }
}

@MainActor
private final class LenientEngine: WebEngineDriver {
    private let fake = FakeEngine()
    var name: String { fake.name }
    nonisolated static var standardMode: InterceptionMode { .customScheme }
    var networking: any EngineNetworking { fake.networking }
    var caching: any EngineCaching { fake.caching }
    var cookies: any EngineCookieStore { fake.cookies }
    var conditions: (any HostConditioning)? { fake.conditions }
    func traits(in mode: InterceptionMode) -> EngineTraits { fake.traits(in: mode) }
    func register(_ scheme: CustomScheme, handler: @escaping SchemeHandler) throws {}
    func makeView() throws -> FakeView { try fake.makeView() }
}

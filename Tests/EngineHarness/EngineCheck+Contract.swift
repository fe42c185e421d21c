// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import WebEngine
internal import WebEngineTesting
internal import WebKitGTKAdapter

// The contract of engines.
extension EngineCheck {
    /// The checks of the contract that this engine cannot run. A check that is skipped in addition fails.
    private static let skippedContractChecks: Set<String> = ["cookieObservers"]

    /// Runs the checks of the contract, each with an engine of its own.
    /// - Parameter names: the names of the checks; empty for all.
    @MainActor
    func checkContract(_ names: [String]) async throws {
        var faults: [String] = []
        let isNamed = { (check: EngineContractCheck) in names.isEmpty || names.contains(check.name) }
        for check in EngineContract.checks.filter(isNamed) {
            do {
                let outcome = try await check.run(at: RealSite())
                if (outcome != .passed) != Self.skippedContractChecks.contains(check.name) {
                    faults.append("\(check.name): \(outcome)")
                }
            } catch {
                faults.append("\(error)")
            }
        }
        try expect(faults.isEmpty, faults.joined(separator: "\n"))
    }
}

/// The real engine, whose pages run scripts.
@MainActor
private final class RealSite: EngineContractSite {
    let missingAbilities: [EngineContractAbility: String] = [
        .cookieObservers: "the engine does not count the receivers of a GObject signal"
    ]
    private var lastRequest = 0

    func makeEngine() throws -> any WebEngineDriver { try WebKitGTKEngine() }

    /// Does nothing: the loads of the engine run by themselves.
    func prepare(_ view: any EngineView) {}

    func send(_ request: EngineContractRequest, in view: any EngineView) async throws -> EngineContractResponse {
        guard let view = view as? WebKitGTKView else { throw CheckFailure(description: "not a view of the engine") }
        lastRequest += 1
        let number = lastRequest
        var options: [String: Any] = ["method": request.method.rawValue]
        options["headers"] = Dictionary(
            request.fields.map { ($0.name.canonicalName, $0.value) }, uniquingKeysWith: { $1 })
        options["body"] = request.body
        let json = try await withTaskCancellationHandler {
            // The result of a call depends on the page, not on its task.
            try await Task { [source = Self.fetch(request.url, try text(options), number)] in
                try await view.evaluate(source, in: .page)
            }.value
        } onCancel: {
            Task { @MainActor in
                _ = try? await view.evaluate("contractAborts[\(number)].abort()", in: .page)
            }
        }
        let response = try JSONDecoder().decode(Response.self, from: Data(json.utf8))
        return EngineContractResponse(
            status: response.status, field: response.field, body: response.body ?? Data(), error: response.error)
    }

    private struct Response: Decodable {
        var status: Int?
        var field: String?
        var body: Data?
        var error: String?
    }

    /// Returns a script that sends a request, and whose result is a ``Response``.
    private static func fetch(_ url: String, _ options: String, _ number: Int) -> String {
        """
        const abort = new AbortController();
        (globalThis.contractAborts ??= {})[\(number)] = abort;
        let result = {};
        try {
            const response = await fetch('\(url)', { ...\(options), signal: abort.signal });
            result = { status: response.status, field: response.headers.get('X-Contract') ?? undefined };
            const bytes = new Uint8Array(await response.arrayBuffer());
            let text = '';
            for (let start = 0; start < bytes.length; start += 0x8000)
                text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
            return { ...result, body: btoa(text) };
        } catch (error) {
            return { ...result, error: String(error) };
        }
        """
    }

    /// Returns a value as JSON.
    private func text(_ value: Any) throws -> String {
        let data = try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed])
        return String(decoding: data, as: UTF8.self)
    }

    func post(
        _ json: String, to handler: String, in world: ScriptWorld, of view: any EngineView
    ) async throws -> EngineContractReply {
        guard !view.hasEnded else { return .noHandler }
        let script = """
            const handler = globalThis.webkit?.messageHandlers?.[\(try text(handler))];
            if (!handler) return [];
            try { return [true, JSON.stringify(await handler.postMessage(\(json)))] } catch { return [false] }
            """
        do {
            let result = try await view.scripting.evaluate(script, in: world)
            if result == "[]" { return .noHandler }
            guard let reply = try JSONDecoder().decode(Reply.self, from: Data(result.utf8)).json else {
                return .rejected
            }
            return .value(reply)
        } catch let error as EngineError where [.processEnded, .pageGone].contains(error.code) {
            // The page of the message has ended with its promise.
            return .rejected
        }
    }

    /// The result of a posted message: a Boolean value, and the reply as JSON.
    private struct Reply: Decodable {
        var json: String?

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            json = try list.decode(Bool.self) ? try list.decode(String.self) : nil
        }
    }

    func navigate(to url: String, in view: any EngineView) async throws {
        _ = try await view.scripting.evaluate("location.href = \(try text(url)); return 1", in: .page)
    }

    func open(_ dialog: DialogKind, message: String, in view: any EngineView) async throws -> String {
        let message = try text(message)
        let call =
            switch dialog {
            case .alert: "alert(\(message))"
            case .confirm: "confirm(\(message))"
            case .prompt(let defaultText): "prompt(\(message), \(try text(defaultText)))"
            case .leave: throw CheckFailure(description: "no call opens this dialog")
            }
        return try await view.scripting.evaluate("return \(call)", in: .page)
    }

    func endProcess(of view: any EngineView) async throws { view.recovery?.endProcess() }

    func cookieObservers(of engine: any WebEngineDriver) throws -> Int {
        throw CheckFailure(description: "the engine has no such number")
    }
}

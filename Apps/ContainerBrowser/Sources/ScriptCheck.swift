// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import ContainerKit
internal import Foundation
internal import WebEngine
internal import WebKitGTKAdapter

/// Finds out whether scripts from the command line can be parsed, before any page is opened.
///
/// In a page one that cannot be would look like an expression that is never true.
@MainActor
struct ScriptCheck {
    private static let limit = Duration.seconds(10)
    private let view: WebKitGTKView

    /// Lends a checker that parses in a blank page of the engine.
    static func with(_ engine: WebKitGTKEngine, _ body: @MainActor (ScriptCheck) async throws -> Void) async throws {
        let view = try engine.makeView()
        defer { view.discard() }
        try await view.warmUp()
        try await body(ScriptCheck(view: view))
    }

    /// - Throws: a usage error that names the option.
    func expression(_ text: String, of option: String) async throws {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw CommandError(.usage, code: "usage", "\(option) is no JavaScript expression: it is empty", at: option)
        }
        if let fault = try await fault(in: ScriptExpression.value(of: text), isAsync: true) {
            let what = try await endsEarly(text, fault) ? "SyntaxError: it ends too early" : fault
            throw CommandError(
                .usage, code: "usage",
                "\(option) is no JavaScript expression: \(what.components(separatedBy: ". ")[0])", at: text)
        }
    }

    /// Whether a fault is at one of the brackets behind the expression, which its author has not written.
    private func endsEarly(_ text: String, _ fault: String) async throws -> Bool {
        if fault.contains("Unexpected token '}'") { return !text.contains("}") }
        guard fault.contains("Unexpected token ')'") else { return false }
        // Without it a bracket too many closes what stands before the expression, and other faults stay what they are.
        let rest = try await self.fault(in: ScriptExpression.open(text), isAsync: true)
        return rest != nil && rest != fault
    }

    /// - Throws: an input error that names the file.
    func script(_ text: String, of path: String) async throws {
        if let fault = try await fault(in: text, isAsync: false) {
            throw CommandError(.badInput, code: "bad-script", "no JavaScript: \(fault)", at: path)
        }
    }

    /// Why a function of this body cannot be parsed; it is not run.
    private func fault(in body: String, isAsync: Bool) async throws -> String? {
        let literal = String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
        let script = """
            try {
                new (\(isAsync ? "async " : "")function () {}).constructor(\(literal));
                return null;
            } catch (error) { return String(error); }
            """
        let answer = try await withLimit(Self.limit, "the engine does not parse") { [view] in
            try await view.evaluate(script, in: .page)
        }
        return try JSONDecoder().decode(String?.self, from: Data(answer.utf8))
    }
}

/// Expressions from the command line, as bodies of functions. On lines of their own, so that they may end in a comment.
enum ScriptExpression {
    static func value(of text: String) -> String { "return (\n\(text)\n)" }
    /// A value that is not ended.
    static func open(_ text: String) -> String { "return (\n\(text)\n" }
    static func truth(of text: String) -> String { "return !!(\n\(text)\n)" }
}

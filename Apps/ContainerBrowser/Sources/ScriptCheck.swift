// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import ContainerKit
internal import Foundation
internal import WebEngine
internal import WebKitGTKAdapter

/// Parses scripts from the command line before any page is opened, and reports syntax errors.
///
/// Without the check, an expression with a syntax error would be indistinguishable from an expression that is never
/// true.
@MainActor
struct ScriptCheck {
    private static let limit = Duration.seconds(10)
    private let view: WebKitGTKView

    /// Runs `body` with a checker that parses scripts in a blank page of the engine.
    static func with(_ engine: WebKitGTKEngine, _ body: @MainActor (ScriptCheck) async throws -> Void) async throws {
        let view = try engine.makeView()
        defer { view.discard() }
        try await view.warmUp()
        try await body(ScriptCheck(view: view))
    }

    /// Checks an expression.
    /// - Throws: A usage error that names the option.
    func expression(_ text: String, of option: String) async throws {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw CommandError(.usage, code: "usage", "\(option) is not a JavaScript expression: empty", at: option)
        }
        if let fault = try await fault(in: ScriptExpression.value(of: text), isAsync: true) {
            let what = try await endsEarly(text, fault) ? "SyntaxError: it ends too early" : fault
            throw CommandError(
                .usage, code: "usage",
                "\(option) is not a JavaScript expression: \(what.components(separatedBy: ". ")[0])", at: text)
        }
    }

    /// Returns a Boolean value that indicates whether the parser failed at a bracket that this program adds after the
    /// expression.
    private func endsEarly(_ text: String, _ fault: String) async throws -> Bool {
        if fault.contains("Unexpected token '}'") { return !text.contains("}") }
        guard fault.contains("Unexpected token ')'") else { return false }
        // The bracket may also be an extra bracket of the expression. The body without the added bracket shows the
        // difference. With an extra bracket, it is valid. If the expression ends early, it has another fault.
        let rest = try await self.fault(in: ScriptExpression.open(text), isAsync: true)
        return rest != nil && rest != fault
    }

    /// Checks a script.
    /// - Throws: An input error that names the file.
    func script(_ text: String, of path: String) async throws {
        if let fault = try await fault(in: text, isAsync: false) {
            throw CommandError(.badInput, code: "bad-script", "not valid JavaScript: \(fault)", at: path)
        }
    }

    /// Returns the syntax error of a function with the body, or `nil`. The function is not called.
    private func fault(in body: String, isAsync: Bool) async throws -> String? {
        let literal = String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
        let script = """
            try {
                new (\(isAsync ? "async " : "")function () {}).constructor(\(literal));
                return null;
            } catch (error) { return String(error); }
            """
        let answer = try await withLimit(Self.limit, "the engine does not respond to the parser check") { [view] in
            try await view.evaluate(script, in: .page)
        }
        return try JSONDecoder().decode(String?.self, from: Data(answer.utf8))
    }
}

/// Function bodies for expressions from the command line. The expression has its own lines, so that it may end with a
/// comment.
enum ScriptExpression {
    static func value(of text: String) -> String { "return (\n\(text)\n)" }
    /// Returns a body with an unclosed bracket.
    static func open(_ text: String) -> String { "return (\n\(text)\n" }
    static func booleanBody(of text: String) -> String { "return !!(\n\(text)\n)" }
}

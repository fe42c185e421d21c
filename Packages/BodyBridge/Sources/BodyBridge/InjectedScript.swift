// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The script that runs before a page's own, in each of its frames, and in front of its workers'.
///
/// It puts functions in the place of the engine's, which send what the engine would lose to the container, and which a
/// page cannot tell from the engine's. Its source is in `Script/src`. In documents that are not at one of the schemes it
/// does nothing.
public struct InjectedScript: Sendable, Hashable {
    /// Shown to the container by the script, and by nobody else.
    public let token: BridgeToken
    /// Stands for `https`.
    public let secureScheme: String
    /// Stands for `http`.
    public let insecureScheme: String
    /// Whether `document.cookie` is the container's.
    public let hasCookies: Bool

    /// The header field that carries a ``RequestMark``. It never leaves the container.
    public static let field = "ContainerKit-Request"

    /// Makes a script for the pages of one view.
    public init(token: BridgeToken, secureScheme: String, insecureScheme: String, hasCookies: Bool) {
        self.token = token
        self.secureScheme = secureScheme
        self.insecureScheme = insecureScheme
        self.hasCookies = hasCookies
    }

    /// For documents, at their start.
    public var page: String {
        text(of: ScriptText.page, token: token.text)
    }

    /// What a worker gets in place of its script.
    ///
    /// A classic worker's own script is run by `importScripts`, so that it stays what it is: its lines, its directives and
    /// its name. A module's comes after an import, which runs before all of it.
    /// - Parameter module: the worker's own script, where it is a module.
    public func worker(at url: String, module: String?) -> String {
        // Without the token: a page can read what it can run.
        let script = text(of: ScriptText.worker, token: nil)
        guard let module else { return "\(script)\nimportScripts(\(literal(url)))" }
        return "import \"data:text/javascript;base64,\(Data(script.utf8).base64EncodedString())\";\(module)"
    }

    private func text(of script: String, token: String?) -> String {
        let configuration = Configuration(
            token: token, tokenLength: self.token.text.utf8.count, mark: Self.field,
            schemes: .init(https: secureScheme, http: insecureScheme), hasCookies: hasCookies)
        return script.replacing("CONTAINERKIT", with: literal(configuration), maxReplacements: 1)
    }

    private struct Configuration: Encodable {
        struct Schemes: Encodable {
            var https: String
            var http: String
        }

        var token: String?
        var tokenLength: Int
        var mark: String
        var schemes: Schemes
        var hasCookies: Bool
    }

    /// A value as JavaScript. JSON is that, but for the two line ends that only JSON leaves alone, in old engines.
    func literal(_ value: some Encodable) -> String {
        // Texts and numbers always have a form.
        (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}

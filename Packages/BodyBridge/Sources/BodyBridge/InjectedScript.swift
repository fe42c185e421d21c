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
    /// Whether what sends bodies is the script's; `nil` but for ``forced(token:hasBodies:hasCookies:)``.
    private let hasBodies: Bool?
    /// A name in the page's world, which nobody can find or take away who does not know it.
    private let name = "_" + BridgeToken().text

    /// The header field that carries a ``RequestMark``. It never leaves the container.
    public static let field = "ContainerKit-Request"

    /// Makes a script for the pages of one view.
    public init(token: BridgeToken, secureScheme: String, insecureScheme: String, hasCookies: Bool) {
        self.token = token
        self.secureScheme = secureScheme
        self.insecureScheme = insecureScheme
        self.hasCookies = hasCookies
        hasBodies = nil
    }

    private init(token: BridgeToken, hasBodies: Bool, hasCookies: Bool) {
        self.token = token
        (secureScheme, insecureScheme) = ("https", "http")
        self.hasCookies = hasCookies
        self.hasBodies = hasBodies
    }

    /// A script for documents of `https` and `http`, where the engine loses nothing: by it tests see whether a page can tell
    /// that functions stand in the place of the engine's. It makes bytes of bodies before the engine has them, which takes
    /// memory and time, says nothing of requests, and does not run in workers.
    /// - Parameters:
    ///   - hasBodies: whether what sends bodies is the script's.
    ///   - hasCookies: whether `document.cookie` is; it reads and sets the engine's own.
    public static func forced(token: BridgeToken, hasBodies: Bool, hasCookies: Bool) -> InjectedScript {
        InjectedScript(token: token, hasBodies: hasBodies, hasCookies: hasCookies)
    }

    /// For documents, at their start, in this order.
    ///
    /// Engines inject into a world again that the page has changed, as after `document.open()`: there the script itself
    /// must not run, which would show its token. The first of these asks what the second has left behind, and the second
    /// cannot be run twice, since it declares a constant. Neither calls what a page can change.
    public var page: [String] {
        let configuration = literal(configuration(token: token.text))
        let text = hasBodies == nil ? ScriptText.page : ScriptText.forced
        return [
            "typeof \(name)==\"undefined\"||\(name)()",
            "const \(name)=(CONTAINERKIT=>{\(text);return()=>{CONTAINERKIT.again&&CONTAINERKIT.again()}})"
                + "(\(configuration))",
        ]
    }

    /// What runs in a worker before its own script. It holds the token: it is for the worker alone.
    /// - Parameter id: what the worker's URL ends with that the page did not write.
    func worker(id: String) -> String {
        ScriptText.worker.replacing(
            "CONTAINERKIT", with: literal(configuration(token: token.text, id: id)), maxReplacements: 1)
    }

    private func configuration(token: String, id: String? = nil) -> Configuration {
        Configuration(
            token: token, mark: Self.field, schemes: .init(https: secureScheme, http: insecureScheme),
            hasCookies: hasCookies, hasBodies: hasBodies, id: id)
    }

    private struct Configuration: Encodable {
        struct Schemes: Encodable {
            var https: String
            var http: String
        }

        var token: String
        var mark: String
        var schemes: Schemes
        var hasCookies: Bool
        var hasBodies: Bool?
        var id: String?
    }

    /// A value as JavaScript. JSON is that, but for the two line ends that only JSON leaves alone, in old engines.
    func literal(_ value: some Encodable) -> String {
        // Texts and numbers always have a form.
        (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The script for older pages. It is injected after ``InjectedScript`` if both are used.
struct LegacyScript {
    let token: BridgeToken
    let messages: LegacyMessages
    /// A random name in the page's world, which a page can neither find nor remove.
    private let name = "_" + BridgeToken().text

    init(token: BridgeToken, messages: LegacyMessages) {
        self.token = token
        self.messages = messages
    }

    /// The script to run at document start. If an engine injects it into the same world again, it fails, because it
    /// declares a constant. Otherwise a page that has changed that world could get the token.
    var text: String {
        let values = Configuration(
            token: token.text, callback: messages.callback, bodyHandler: messages.bodyHandler,
            cookieHandler: messages.cookieHandler, prefetchHandler: messages.prefetchHandler)
        let object = ScriptLiteral.object(values)
        return "const \(name)=(CONTAINERKIT=>{\(LegacyScriptText.page);return()=>CONTAINERKIT.kept})(\(object))"
    }

    private struct Configuration: Encodable {
        var token: String
        var callback: String
        var bodyHandler: String
        var cookieHandler: String
        var prefetchHandler: String
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The script that older pages speak to. It is injected after ``InjectedScript``, where both are.
struct LegacyScript {
    let token: BridgeToken
    let messages: LegacyMessages
    /// A name in the page's world, which nobody can find or take away who does not know it.
    private let name = "_" + BridgeToken().text

    init(token: BridgeToken, messages: LegacyMessages) {
        self.token = token
        self.messages = messages
    }

    /// For documents, at their start. Where an engine injects it into the same world again it is refused, since it declares a
    /// constant: a page may have changed that world, and would be shown the token.
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

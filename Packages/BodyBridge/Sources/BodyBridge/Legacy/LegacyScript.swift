// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The script for older pages. If the view also has an ``InjectedScript``, this script is injected after it.
struct LegacyScript {
    let token: BridgeToken
    let messages: LegacyMessages
    /// A random name in the page's world, which a page can neither find nor remove.
    private let name = "_" + BridgeToken().text

    init(token: BridgeToken, messages: LegacyMessages) {
        self.token = token
        self.messages = messages
    }

    /// The script to run at document start. It declares a constant, so it fails if an engine injects it into the same
    /// world again. A second run could reveal the token to a page that has changed the world.
    var text: String {
        func names(_ name: String) -> [String] {
            [name] + (messages.handlerPrefix.map { [$0 + name] } ?? [])
        }
        let values = Configuration(
            token: token.text, callback: messages.callback,
            idMembers: [LegacyMessages.plainParameter, messages.parameter],
            bodyHandlers: names(messages.bodyHandler), cookieHandlers: names(messages.cookieHandler),
            prefetchHandlers: names(messages.prefetchHandler))
        let object = ScriptLiteral.object(values)
        return "const \(name)=(CONTAINERKIT=>{\(LegacyScriptText.page);return()=>CONTAINERKIT.kept})(\(object))"
    }

    private struct Configuration: Encodable {
        var token: String
        var callback: String
        var idMembers: [String]
        var bodyHandlers: [String]
        var cookieHandlers: [String]
        var prefetchHandlers: [String]
    }
}

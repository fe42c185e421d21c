// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// Names a body in the relay: 32 hexadecimal digits, mostly made up by the injected script.
public struct BodyID: Sendable, Hashable {
    /// The digits.
    public let text: String

    /// `nil` for other texts.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32, text.utf8.allSatisfy(\.isLowercaseHexDigit) else { return nil }
        self.text = String(text)
    }

    /// A new one, which nobody can guess.
    init() {
        text = BridgeToken().text
    }
}

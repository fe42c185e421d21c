// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Names a body in the relay: 32 hexadecimal digits, mostly made up by the injected script.
public struct BodyID: Sendable, Hashable {
    /// The digits.
    public let text: String

    /// `nil` for other texts.
    public init?(_ text: some StringProtocol) {
        let digits = (UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"))
        guard text.utf8.count == 32, text.utf8.allSatisfy({ digits.0 ~= $0 || digits.1 ~= $0 }) else { return nil }
        self.text = String(text)
    }

    /// A new one, which nobody can guess.
    init() {
        text = BridgeToken().text
    }
}

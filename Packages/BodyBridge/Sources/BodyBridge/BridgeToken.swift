// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport

/// What the injected script shows to be the injected script: 128 random bits that it keeps from its page. A page that was
/// there before the script can learn them: nothing that must not happen may depend on them alone.
///
/// A token is one page's, for as long as its view shows it. The mark of a request and the text of a question begin with it.
public struct BridgeToken: Sendable, Hashable {
    /// 32 hexadecimal digits.
    public let text: String

    /// Draws a token.
    public init() {
        text = RandomToken.hex(byteCount: 16)
    }

    /// What follows the token and a space; `nil` where a text does not begin so.
    ///
    /// It takes the same time wherever the first difference is.
    func payload(of text: some StringProtocol) -> Substring? {
        var text = Substring(text)
        let rest: Int? = text.withUTF8 { bytes in
            guard let space = bytes.firstIndex(of: UInt8(ascii: " ")), space == self.text.utf8.count else { return nil }
            return RandomToken.isEqual(bytes[..<space], self.text.utf8) ? space + 1 : nil
        }
        return rest.map { text[text.utf8.index(text.startIndex, offsetBy: $0)...] }
    }
}

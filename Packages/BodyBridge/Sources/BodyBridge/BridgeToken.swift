// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What the injected script shows to be the injected script: 128 random bits that it keeps from its page. A page that was
/// there before the script can learn them: nothing that must not happen may depend on them alone.
///
/// A token is one page's, for as long as its view shows it. The mark of a request and the text of a question begin with it.
public struct BridgeToken: Sendable, Hashable {
    /// 32 hexadecimal digits.
    public let text: String

    /// Draws a token.
    public init() {
        var generator = SystemRandomNumberGenerator()
        let halves = [generator.next(), generator.next()].map { (half: UInt64) in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        text = halves.joined()
    }

    /// What follows the token and a space; `nil` where a text does not begin so.
    ///
    /// It takes the same time wherever the first difference is.
    func payload(of text: some StringProtocol) -> Substring? {
        let bytes = text.utf8
        guard let space = bytes.firstIndex(of: UInt8(ascii: " ")),
            bytes.distance(from: bytes.startIndex, to: space) == self.text.utf8.count,
            zip(bytes[..<space], self.text.utf8).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0
        else { return nil }
        return Substring(text[bytes.index(after: space)...])
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import SystemSupport

/// A message of the script of a page's interface: the token, the document, the kind and an optional text, separated by
/// spaces, as one JSON string.
struct PageInterfaceMessage: Sendable, Hashable {
    /// The kind of a message.
    enum Kind: String, Sendable {
        /// The document begins.
        case hello
        /// The document waits for notifications.
        case next
        case package, ready, failed, reload, network
    }

    /// The maximum size of a message, in bytes of JSON.
    static let sizeLimit = 4_096
    /// The maximum number of Unicode scalars of a reason.
    static let reasonLimit = 256
    private static let documentLimit = 32

    /// The random identifier of the document.
    let document: String
    let kind: Kind
    /// The text of the message, as one printable line.
    let text: String

    /// Decodes a message.
    /// - Parameters:
    ///   - json: the message of the page.
    ///   - token: the token that the script was given. Frames, to which the message handler is visible, do not know it.
    /// - Throws: ``PageInterfaceRefusal``.
    init(_ json: String, token: String) throws(PageInterfaceRefusal) {
        guard json.utf8.count <= Self.sizeLimit else { throw .tooLarge }
        guard let text = try? JSONDecoder().decode(String.self, from: Data(json.utf8)) else { throw .malformed }
        let parts = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4 else { throw .malformed }
        guard RandomToken.isEqual(parts[0].utf8, token.utf8) else { throw .stranger }
        guard (1...Self.documentLimit).contains(parts[1].utf8.count),
            parts[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let kind = Kind(rawValue: String(parts[2]))
        else { throw .malformed }
        document = String(parts[1])
        self.kind = kind
        self.text = parts[3].printable(limit: Self.reasonLimit)
    }
}

/// The reason for which a message of a page is refused, which rejects the promise of the page.
enum PageInterfaceRefusal: String, Error, CustomStringConvertible {
    case tooLarge = "the message is too large"
    case malformed = "the message is malformed"
    case stranger = "the message does not come from the document of the page"
    case tooMany = "too many messages"
    case former = "the document is not the current one"
    case uncovered = "the document is not covered"
    case closed = "the page is closed"

    var description: String { rawValue }
}

/// The limit of the rate of a page's messages: a number of messages at once, and one more after each interval.
struct PageInterfaceRate {
    static let burst = 64
    static let interval = Duration.milliseconds(250)

    private var count = burst
    /// The time from which intervals are counted.
    private var start = Duration.zero

    /// Counts a message.
    /// - Parameter now: the time since any fixed instant.
    /// - Returns: `false` if the message exceeds the limit.
    mutating func admit(at now: Duration) -> Bool {
        let earned = Int((now - start) / Self.interval)
        if earned > 0 {
            count = min(Self.burst, count + min(earned, Self.burst))
            start += Self.interval * earned
        }
        guard count > 0 else { return false }
        count -= 1
        return true
    }
}

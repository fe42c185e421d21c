// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The response heads of one exchange, in the order that HTTP allows: informational heads, one final head, trailers
/// (RFC 9110, section 15; RFC 9112, section 4; RFC 9113, sections 8.1 and 8.6).
///
/// HTTP libraries terminate the process on some heads that break these rules. A transport of any HTTP version therefore
/// checks each head before it passes the head to its library.
@_spi(Facade) public struct ResponseHeadState: Sendable {
    /// The kind of an accepted head.
    @_spi(Facade) public enum Head: Sendable, Hashable {
        /// A head with a status from 100 to 199; another head follows.
        case informational
        /// The head of the response.
        case final
        /// The fields after the body of the response.
        case trailers
    }

    /// A head that breaks the rules of HTTP.
    @_spi(Facade) public struct Violation: Error, Sendable, Hashable, CustomStringConvertible {
        /// A line of text that names the broken rule.
        public let description: String
    }

    private static let mostInformationalHeads = 100

    private let allowsUpgrade: Bool
    private var hasFinalHead = false
    private var informationalHeads = 0

    /// Creates the state of an exchange without response heads.
    /// - Parameter allowsUpgrade: A Boolean value that indicates whether the request offered an upgrade to another
    ///   protocol. If it is `true`, 101 (Switching Protocols) is a final head.
    public init(allowsUpgrade: Bool = false) {
        self.allowsUpgrade = allowsUpgrade
    }

    /// Checks the next head, given its numeric status. An exchange has at most 100 informational heads.
    /// - Parameters:
    ///   - status: The status code; a number outside the range from 100 to 999 is a violation.
    ///   - endsMessage: A Boolean value that indicates whether no body and no other head follow.
    /// - Throws: ``Violation``.
    @discardableResult
    public mutating func receive(status: Int, endsMessage: Bool = false) throws(Violation) -> Head {
        guard (100...999).contains(status) else {
            throw Violation(description: "the status \(status) is not in the range from 100 to 999")
        }
        guard !hasFinalHead else { throw Violation(description: "a second response head") }
        if status == 101 {
            guard allowsUpgrade else {
                throw Violation(description: "the status 101 without a request for another protocol")
            }
        } else if status < 200 {
            guard !endsMessage else {
                throw Violation(description: "the informational status \(status) as the last head")
            }
            informationalHeads += 1
            guard informationalHeads <= Self.mostInformationalHeads else {
                throw Violation(description: "more than \(Self.mostInformationalHeads) informational heads")
            }
            return .informational
        }
        hasFinalHead = true
        return .final
    }

    /// Checks the next HTTP/2 block of header fields by its `:status` fields: none for trailers, one for a head.
    ///
    /// The value of `:status` has exactly three digits (RFC 9113, section 8.3.2).
    /// - Parameters:
    ///   - statusFields: The values of the `:status` fields in the block.
    ///   - endsMessage: A Boolean value that indicates whether the block has the flag END_STREAM.
    /// - Throws: ``Violation``.
    @discardableResult
    public mutating func receive(statusFields: [String], endsMessage: Bool) throws(Violation) -> Head {
        guard let text = statusFields.first else {
            guard hasFinalHead else { throw Violation(description: "a response head without a status") }
            guard endsMessage else { throw Violation(description: "trailers that do not end the response") }
            return .trailers
        }
        guard statusFields.count == 1 else { throw Violation(description: "more than one status in a response head") }
        guard text.utf8.count == 3, let status = Int(decimalDigits: text.utf8) else {
            throw Violation(description: "a status that is not a number of three digits")
        }
        return try receive(status: status, endsMessage: endsMessage)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The head of an HTTP/1 request, read strictly by the grammar of RFC 9112.
///
/// A server that repairs a request can be abused for smuggling (RFC 9112, section 11.2). Only control characters in
/// field values are accepted beside the grammar, as RFC 9110, section 5.5, permits, because the engines send them.
public struct ReceivedRequestHead: Sendable, Equatable {
    /// The method, a token, in the case of its letters.
    public let method: String
    /// The request target as received: visible characters. Bytes that are not UTF-8 are replaced by U+FFFD.
    public let target: String
    /// The minor version of HTTP/1: 0 or 1.
    public let minorVersion: Int
    /// The fields in the received order.
    public let fields: [MessageHeadField]

    /// Reads a head, including the empty line that ends it.
    /// - Throws: ``MessageHeadViolation``.
    public init(_ bytes: [UInt8]) throws(MessageHeadViolation) {
        guard bytes.first != 0x0A, !zip(bytes, bytes.dropFirst()).contains(where: { $0 != 0x0D && $1 == 0x0A }) else {
            throw MessageHeadViolation("a line that does not end with CRLF")
        }
        let lines = try MessageHeadLines(bytes).lines
        guard lines.allSatisfy({ !$0.contains(0x0D) }) else { throw MessageHeadViolation("a CR within a line") }
        // RFC 9112, section 3, permits more than one space between the words.
        let words = lines[0].split(separator: 0x20)
        guard words.count == 3, words[0].startIndex == lines[0].startIndex, words[2].endIndex == lines[0].endIndex,
            words[0].allSatisfy(\.isTokenByte)
        else {
            throw MessageHeadViolation("not a request line")
        }
        guard words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw MessageHeadViolation("invalid request target")
        }
        switch words[2].text {
        case "HTTP/1.0": minorVersion = 0
        case "HTTP/1.1": minorVersion = 1
        default: throw MessageHeadViolation("not HTTP/1.0 or HTTP/1.1")
        }
        method = words[0].text
        target = words[1].text
        var fields: [MessageHeadField] = []
        fields.reserveCapacity(lines.count)
        for line in lines.dropFirst() where !line.isEmpty {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy(\.isTokenByte)
            else { throw MessageHeadViolation("invalid header field") }
            guard fields.count < MessageHeadField.mostInHead else { throw MessageHeadViolation("too many fields") }
            fields.append(
                MessageHeadField(line[..<colon].text, line[(colon + 1)...].trimmingFieldWhitespace.text))
        }
        self.fields = fields
    }
}

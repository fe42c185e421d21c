// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The head of an HTTP/1 response, read with the tolerance of the engines.
///
/// Accepted beside the grammar of RFC 9112: lines that end with LF alone, a missing reason phrase, folded fields, and
/// equal lengths that are repeated. A line without a colon, or with white space or another invalid byte in the field
/// name, is ignored, together with its continuation lines.
///
/// Two readers that disagree about the end of a message could be abused (RFC 9112, section 11.1). Different lengths and
/// unknown transfer codings are therefore a violation. If a response has both a length and chunks, the chunks count,
/// and the connection must not be reused (RFC 9112, section 6.3).
public struct ReceivedResponseHead: Sendable, Equatable {
    /// The rule that finds the end of the body (RFC 9112, section 6.3). A response without a body ignores it.
    public enum Framing: Sendable, Equatable {
        /// A body of this number of bytes.
        case length(Int64)
        /// A chunked body.
        case chunked
        /// A body that ends with its connection.
        case close
    }

    /// The minor version of HTTP/1: 0 or 1.
    public let minorVersion: Int
    /// The status code, from 100 to 999.
    public let status: Int
    /// The reason phrase; empty if there is none.
    public let reason: String
    /// The fields in the received order. There is at most one `Content-Length`, and none beside chunks.
    public private(set) var fields: [MessageHeadField]
    /// The rule that finds the end of the body.
    public private(set) var framing: Framing
    /// A Boolean value that indicates whether another recipient may find another end of the body: the response has both
    /// a length and chunks, or chunks in HTTP/1.0, or an ignored line that names a field of the framing. The connection
    /// must not be reused then.
    public private(set) var isAmbiguous = false

    /// Reads a head, with or without the empty line that ends it.
    /// - Throws: ``MessageHeadViolation``.
    public init(_ bytes: [UInt8]) throws(MessageHeadViolation) {
        let lines = try MessageHeadLines(bytes).lines
        var words = StatusLine(lines[0])
        (minorVersion, status) = (try words.minorVersion(), try words.status())
        reason = words.reason
        fields = []
        framing = .close
        try readFields(lines.dropFirst())
        try frame()
    }

    /// Makes the body end with the connection, because the connection has ended within the head. A cookie in the last
    /// field is dropped, because attributes in its continuation lines may be missing.
    public mutating func endWithConnection() {
        framing = .close
        if fields.last?.name.utf8.equalsIgnoringCase("set-cookie") == true { fields.removeLast() }
        fields.removeAll { $0.name.utf8.equalsIgnoringCase("content-length") }
    }

    /// Reads the fields of the lines after the first.
    private mutating func readFields(_ lines: ArraySlice<ArraySlice<UInt8>>) throws(MessageHeadViolation) {
        var index = lines.startIndex
        while index < lines.endIndex {
            let line = lines[index]
            index += 1
            // RFC 9112, section 5.2: a line fold is replaced by a space.
            let folds = lines[index...].prefix { $0.first?.isFieldWhitespace == true }
            index = folds.endIndex
            guard !line.isEmpty else { continue }
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.startIndex
            let name = line[..<colon]
            guard !name.isEmpty, name.allSatisfy(\.isTokenByte) else {
                let trimmed = name.trimmingFieldWhitespace
                // Another recipient may read the field (RFC 9112, section 5.1).
                isAmbiguous =
                    isAmbiguous || trimmed.equalsIgnoringCase("transfer-encoding")
                    || trimmed.equalsIgnoringCase("content-length")
                continue
            }
            guard fields.count < MessageHeadField.mostInHead else { throw MessageHeadViolation("too many fields") }
            let parts = [line[(colon + 1)...]] + folds
            let texts = parts.map(Self.text).filter { !$0.isEmpty }
            fields.append(MessageHeadField(name.text, texts.joined(separator: " ")))
        }
    }

    /// Returns the text without the white space around it. A CR counts as a space (RFC 9110, section 5.5).
    fileprivate static func text(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { $0 == 0x0D ? 0x20 : $0 }[...].trimmingFieldWhitespace.text
    }

    private func values(_ name: StaticString) -> [String] {
        fields.compactMap { $0.name.utf8.equalsIgnoringCase(name) ? $0.value : nil }
    }

    private mutating func frame() throws(MessageHeadViolation) {
        let codings = FieldList.members(of: values("transfer-encoding"))
        let lengths = values("content-length")
        guard codings.count <= 1 else { throw MessageHeadViolation("more than one transfer coding") }
        if let coding = codings.first?.utf8, coding.equalsIgnoringCase("chunked") {
            framing = .chunked
            // RFC 9112, section 6.1: the framing of HTTP/1.0 has no chunks.
            isAmbiguous = isAmbiguous || !lengths.isEmpty || minorVersion == 0
            fields.removeAll { $0.name.utf8.equalsIgnoringCase("content-length") }
        } else if let coding = codings.first?.utf8, !coding.equalsIgnoringCase("identity") {
            // `identity` was a coding of RFC 2616 and means none.
            throw MessageHeadViolation("a transfer coding that is not chunked")
        } else if !lengths.isEmpty {
            framing = .length(try length(lengths))
        }
    }

    /// Returns the common value of all lengths and removes the repetitions (RFC 9110, section 8.6).
    private mutating func length(_ values: [String]) throws(MessageHeadViolation) -> Int64 {
        let members = values.flatMap { FieldList.members(of: $0) }
        // Engines read an empty length as 0.
        guard let length = members.first.map({ Int64(decimalDigits: $0.utf8) }) ?? 0 else {
            throw MessageHeadViolation("Content-Length is not a number")
        }
        guard members.allSatisfy({ Int64(decimalDigits: $0.utf8) == length }) else {
            throw MessageHeadViolation("different values of Content-Length")
        }
        if members.count > 1 || values.count > 1 {
            let index = fields.firstIndex { $0.name.utf8.equalsIgnoringCase("content-length") } ?? 0
            fields[index].value = String(length)
            let rest = fields[(index + 1)...].filter { !$0.name.utf8.equalsIgnoringCase("content-length") }
            fields = fields[...index] + rest
        }
        return length
    }
}

/// A status line (RFC 9112, section 4), read from its start.
private struct StatusLine {
    private var rest: ArraySlice<UInt8>

    init(_ line: ArraySlice<UInt8>) {
        rest = line
    }

    mutating func minorVersion() throws(MessageHeadViolation) -> Int {
        if rest.starts(with: "ICY".utf8) {
            // The servers of Shoutcast write this in place of the version.
            rest = rest.dropFirst(3)
            return 0
        }
        let version = rest.prefix(8)
        guard version.starts(with: "HTTP/1.".utf8), version.count == 8, let digit = version.last,
            digit == UInt8(ascii: "0") || digit == UInt8(ascii: "1")
        else { throw MessageHeadViolation("not HTTP/1.0 or HTTP/1.1") }
        rest = rest.dropFirst(8)
        return Int(digit - UInt8(ascii: "0"))
    }

    mutating func status() throws(MessageHeadViolation) -> Int {
        let blanks = rest.prefix { $0.isFieldWhitespace }
        let digits = rest.dropFirst(blanks.count).prefix { $0.isASCIIDigit }
        guard !blanks.isEmpty, digits.count == 3, let status = Int(decimalDigits: digits), status >= 100 else {
            throw MessageHeadViolation("the status is not a number from 100 to 999")
        }
        rest = rest[digits.endIndex...]
        return status
    }

    var reason: String { ReceivedResponseHead.text(rest) }
}

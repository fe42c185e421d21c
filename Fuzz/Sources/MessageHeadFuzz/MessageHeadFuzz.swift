// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import FuzzSupport
internal import WebSyntax

/// Fuzzes the parsers of HTTP/1 messages: heads of requests and responses, the end of a head, and chunked bodies.
///
/// The first byte of an input selects the size of the pieces. The scanners must find the same ends in the pieces as in
/// the whole input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessageHead(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: bytes, count: count)
    let size = Int(input.first ?? 0) % 16 + 1
    let message = Array(input.dropFirst())
    checkEnd(of: message, size)
    for isTolerant in [false, true] {
        let whole = chunks(of: message, message.count, isTolerant)
        Fuzz.expect(chunks(of: message, size, isTolerant) == whole, "pieces change the parts of a chunked body")
        if !isTolerant, !whole.isRejected {
            Fuzz.expect(chunks(of: message, size, true) == whole, "tolerance changes the parts of a valid chunked body")
        }
    }
    if let head = violationOrValue({ () throws(MessageHeadViolation) in try ReceivedRequestHead(message) }) {
        check(head)
    }
    if let head = violationOrValue({ () throws(MessageHeadViolation) in try ReceivedResponseHead(message) }) {
        check(head)
    }
    return 0
}

/// Returns the value of a parser, or `nil` if it throws. A violation must be one short line.
private func violationOrValue<Value>(_ parse: () throws(MessageHeadViolation) -> Value) -> Value? {
    do {
        return try parse()
    } catch {
        Fuzz.expectOneLine(error, limit: 100)
        return nil
    }
}

// MARK: - Scanners

private func checkEnd(of message: [UInt8], _ size: Int) {
    var whole = MessageHeadScanner()
    let end = message.withUnsafeBytes { whole.end(in: $0) }
    var scanner = MessageHeadScanner()
    var found: Int?
    var start = 0
    while found == nil, start < message.count {
        let piece = message[start..<min(start + size, message.count)]
        found = piece.withUnsafeBytes { scanner.end(in: $0) }.map { start + $0 }
        start += piece.count
    }
    Fuzz.expect(found == end, "pieces change the end of a head")
    if let end {
        Fuzz.expect((1...message.count).contains(end) && message[end - 1] == 0x0A, "a head without an empty line")
    } else {
        Fuzz.expect(scanner.isAtLineStart == whole.isAtLineStart, "pieces change the start of a line")
    }
}

/// The parts of a chunked body, as found by a scanner.
private struct Chunks: Equatable {
    var data: [UInt8] = []
    /// The number of bytes of the body; `nil` if its end is missing.
    var end: Int?
    var isRejected = false
}

/// Scans a chunked body in pieces of a size.
private func chunks(of message: [UInt8], _ size: Int, _ isTolerant: Bool) -> Chunks {
    var scanner = ChunkedBodyScanner(isTolerant: isTolerant)
    var result = Chunks()
    var start = 0
    while start < message.count, scanner.part != .end {
        let part = scanner.part
        let piece = message[start..<min(start + max(1, size), message.count)]
        let scanned = piece.withUnsafeBytes { bytes in
            violationOrValue { () throws(MessageHeadViolation) in try scanner.scan(bytes) }
        }
        guard let scanned else {
            result.isRejected = true
            break
        }
        Fuzz.expect((1...piece.count).contains(scanned), "\(scanned) of \(piece.count) bytes are scanned")
        Fuzz.expect(scanned == piece.count || scanner.part != part, "a scan stops within a part")
        if part == .data { result.data += piece.prefix(scanned) }
        start += scanned
    }
    if scanner.part == .end { result.end = start }
    return result
}

// MARK: - Heads

private func check(_ head: ReceivedRequestHead) {
    Fuzz.expect(!head.method.isEmpty && head.method.utf8.allSatisfy(\.isTokenByte), "an invalid method")
    Fuzz.expect(
        !head.target.isEmpty && head.target.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }, "an invalid request target")
    check(head.fields, head.minorVersion)
    var lines = ["\(head.method) \(head.target) HTTP/1.\(head.minorVersion)"]
    lines += head.fields.map { "\($0.name): \($0.value)" }
    let text = Array(lines.joined(separator: "\r\n").utf8) + Array("\r\n\r\n".utf8)
    Fuzz.expect((try? ReceivedRequestHead(text)) == head, "the normal form of a request head is not stable")
    Fuzz.expect(heads(in: text) == 1, "a field ends the head of a request")
}

private func check(_ head: ReceivedResponseHead) {
    Fuzz.expect((100...999).contains(head.status), "the status \(head.status)")
    Fuzz.expect(!hasLineEnd(head.reason), "a reason phrase with a line end")
    check(head.fields, head.minorVersion)
    let lengths = head.fields.filter { $0.name.utf8.equalsIgnoringCase("content-length") }
    switch head.framing {
    case .length(let length): Fuzz.expect(length >= 0 && lengths.count == 1, "a body of \(length) bytes")
    case .chunked, .close: Fuzz.expect(lengths.isEmpty, "a length that does not count")
    }
    var lines = ["HTTP/1.\(head.minorVersion) \(head.status) \(head.reason)"]
    lines += head.fields.map { "\($0.name): \($0.value)" }
    let text = Array(lines.joined(separator: "\r\n").utf8) + Array("\r\n\r\n".utf8)
    let again = try? ReceivedResponseHead(text)
    Fuzz.expect(
        again?.fields == head.fields && again?.framing == head.framing && again?.status == head.status
            && again?.reason == head.reason,
        "the normal form of a response head is not stable")
    Fuzz.expect(heads(in: text) == 1, "a field ends the head of a response")
    var ended = head
    ended.endWithConnection()
    Fuzz.expect(ended.framing == .close, "a head that ends with its connection has another framing")
}

private func check(_ fields: [MessageHeadField], _ minorVersion: Int) {
    Fuzz.expect((0...1).contains(minorVersion), "HTTP/1.\(minorVersion)")
    for field in fields {
        Fuzz.expect(!field.name.isEmpty && field.name.utf8.allSatisfy(\.isTokenByte), "an invalid field name")
        Fuzz.expect(!hasLineEnd(field.value), "a field with a line end or NUL")
    }
}

private func hasLineEnd(_ text: String) -> Bool { text.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D } }

/// Returns 1 if the bytes are one head without bytes after it.
private func heads(in bytes: [UInt8]) -> Int {
    var scanner = MessageHeadScanner()
    return bytes.withUnsafeBytes { scanner.end(in: $0) } == bytes.count ? 1 : 0
}

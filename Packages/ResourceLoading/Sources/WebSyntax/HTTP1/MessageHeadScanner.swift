// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A scanner that finds the end of an HTTP/1 message head, the first empty line, in bytes that arrive in parts.
///
/// A line ends with CRLF or with LF alone (RFC 9112, section 2.2). Empty lines before the first line are part of the
/// head.
public struct MessageHeadScanner: Sendable {
    private enum State: Sendable {
        case beforeFirstLine
        case inLine
        case atLineStart
        /// A CR was the first byte of the line.
        case afterCarriageReturn
    }

    private var state = State.beforeFirstLine

    /// Creates a scanner at the start of a head.
    public init() {}

    /// Creates a scanner of the lines after the first, for example of trailers.
    init(afterFirstLine: Void) {
        state = .atLineStart
    }

    /// A Boolean value that indicates whether the scanned bytes end with a line end.
    public var isAtLineStart: Bool { state == .atLineStart }

    /// Scans further bytes.
    /// - Returns: The number of bytes up to the end of the empty line that ends the head, or `nil` if all bytes belong
    ///   to the head and more follow.
    public mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
        for (index, byte) in bytes.enumerated() {
            switch (state, byte) {
            case (.beforeFirstLine, 0x0A), (.beforeFirstLine, 0x0D): break
            case (.atLineStart, 0x0A), (.afterCarriageReturn, 0x0A): return index + 1
            case (.atLineStart, 0x0D): state = .afterCarriageReturn
            case (_, 0x0A): state = .atLineStart
            default: state = .inLine
            }
        }
        return nil
    }
}

/// A collector of the bytes of an HTTP/1 message head that arrives in parts.
public struct MessageHeadCollector: Sendable {
    private static let longest = 256 << 10

    private var scanner = MessageHeadScanner()
    /// The bytes of the head so far.
    public private(set) var bytes: [UInt8] = []

    /// Creates a collector at the start of a head.
    public init() {}

    /// A Boolean value that indicates whether the collected bytes end with a line end.
    public var isAtLineStart: Bool { scanner.isAtLineStart }

    /// Collects bytes up to the end of the head. The collector is at the start of the next head then.
    /// - Returns: The number of collected bytes, and the whole head, or `nil` if more bytes follow.
    /// - Throws: ``MessageHeadViolation`` if the head is longer than 256 KiB.
    public mutating func collect(
        _ part: UnsafeRawBufferPointer
    ) throws(MessageHeadViolation) -> (count: Int, head: [UInt8]?) {
        let end = scanner.end(in: part)
        let count = end ?? part.count
        guard bytes.count + count <= Self.longest else { throw MessageHeadViolation("the head is too long") }
        bytes.append(contentsOf: part[..<count])
        guard end != nil else { return (count, nil) }
        let head = bytes
        self = MessageHeadCollector()
        return (count, head)
    }
}

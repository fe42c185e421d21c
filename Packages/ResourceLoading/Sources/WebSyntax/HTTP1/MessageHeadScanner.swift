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

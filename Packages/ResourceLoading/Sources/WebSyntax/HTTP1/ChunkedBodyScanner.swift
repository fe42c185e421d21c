// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A scanner that finds the data and the end of a chunked body (RFC 9112, section 7.1) in bytes that arrive in parts.
///
/// Trailers are not checked: their lines may be any text, and may end with LF alone.
public struct ChunkedBodyScanner: Sendable {
    /// The parts of a chunked body.
    public enum Part: Sendable, Equatable {
        /// The line before the data of a chunk, with the line end of the chunk before it.
        case size
        /// The data of a chunk.
        case data
        /// The trailers, up to the end of the empty line after them.
        case trailers
        /// The bytes after the body.
        case end
    }

    private enum State: Sendable {
        case size(digits: Int, value: Int64)
        case afterSize(value: Int64)
        case chunkExtension(value: Int64)
        case sizeLineFeed(value: Int64)
        case data(rest: Int64)
        case dataCarriageReturn
        case dataLineFeed
        case trailers(MessageHeadScanner, count: Int)
        case end
    }

    private let isTolerant: Bool
    private var state = State.size(digits: 0, value: 0)
    private var extensionLength = 0
    private static let longestExtension = 16 << 10
    private static let longestTrailers = 64 << 10

    /// Creates a scanner at the start of a chunked body.
    /// - Parameter isTolerant: A Boolean value that indicates whether lines of chunks may end with LF alone, and white
    ///   space may follow a size. Engines accept both in responses.
    public init(isTolerant: Bool) {
        self.isTolerant = isTolerant
    }

    /// The part that the next byte belongs to.
    public var part: Part {
        switch state {
        case .data: .data
        case .trailers: .trailers
        case .end: .end
        default: .size
        }
    }

    /// Scans bytes until ``part`` changes.
    /// - Returns: The number of scanned bytes. They belong to the part as it was before the call. The number is less
    ///   than the number of given bytes only if the part has changed.
    /// - Throws: ``MessageHeadViolation`` if the chunks are malformed or too long.
    public mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(MessageHeadViolation) -> Int {
        switch state {
        case .end: return 0
        case .data(let rest):
            let count = Int(min(rest, Int64(bytes.count)))
            state = rest == Int64(count) ? .dataCarriageReturn : .data(rest: rest - Int64(count))
            return count
        case .trailers(let scanner, let count): return try scanTrailers(bytes, scanner, count)
        default:
            for (index, byte) in bytes.enumerated() {
                try accept(byte)
                if part != .size { return index + 1 }
            }
            return bytes.count
        }
    }

    private mutating func scanTrailers(
        _ bytes: UnsafeRawBufferPointer, _ scanner: MessageHeadScanner, _ count: Int
    ) throws(MessageHeadViolation) -> Int {
        var scanner = scanner
        if let end = scanner.end(in: bytes) {
            state = .end
            return end
        }
        guard count + bytes.count <= Self.longestTrailers else {
            throw MessageHeadViolation("the trailers are too long")
        }
        state = .trailers(scanner, count: count + bytes.count)
        return bytes.count
    }

    private mutating func accept(_ byte: UInt8) throws(MessageHeadViolation) {
        switch (state, byte) {
        case (.size(let digits, let value), _) where byte.hexDigitValue != nil && digits < 15:
            state = .size(digits: digits + 1, value: value << 4 | Int64(byte.hexDigitValue ?? 0))
        case (.size(let digits, let value), _) where digits > 0: try endSize(value, byte)
        case (.afterSize(let value), _): try endSize(value, byte)
        case (.chunkExtension(let value), 0x0D): state = .sizeLineFeed(value: value)
        case (.chunkExtension(let value), 0x0A) where isTolerant: endLine(value)
        case (.chunkExtension, let byte) where byte != 0x0A:
            extensionLength += 1
            guard extensionLength <= Self.longestExtension else {
                throw MessageHeadViolation("the chunk extensions are too long")
            }
        case (.sizeLineFeed(let value), 0x0A): endLine(value)
        case (.dataCarriageReturn, 0x0D): state = .dataLineFeed
        case (.dataCarriageReturn, 0x0A) where isTolerant: state = .size(digits: 0, value: 0)
        case (.dataLineFeed, 0x0A): state = .size(digits: 0, value: 0)
        default: throw MessageHeadViolation("malformed chunks")
        }
    }

    private mutating func endSize(_ value: Int64, _ byte: UInt8) throws(MessageHeadViolation) {
        switch byte {
        case 0x0D: state = .sizeLineFeed(value: value)
        case UInt8(ascii: ";"): state = .chunkExtension(value: value)
        case 0x0A where isTolerant: endLine(value)
        case 0x20 where isTolerant, 0x09 where isTolerant: state = .afterSize(value: value)
        default: throw MessageHeadViolation("malformed chunks")
        }
    }

    private mutating func endLine(_ value: Int64) {
        state = value > 0 ? .data(rest: value) : .trailers(MessageHeadScanner(afterFirstLine: ()), count: 0)
    }
}

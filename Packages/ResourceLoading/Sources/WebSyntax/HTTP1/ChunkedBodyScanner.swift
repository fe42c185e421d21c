// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A scanner that finds the end of a chunked body (RFC 9112, section 7.1) in bytes that arrive in parts.
///
/// Lines of chunks end with CRLF. Lines of trailers may end with LF alone; their content is not checked.
public struct ChunkedBodyScanner: Sendable {
    /// The parts of a chunked body.
    public enum Part: Sendable, Equatable {
        /// The chunks, up to the end of the line of the last chunk, whose size is 0.
        case chunks
        /// The trailers, up to the end of the empty line after them.
        case trailers
        /// The bytes after the body.
        case end
    }

    private enum State: Sendable {
        case size(digits: Int, value: Int64)
        case chunkExtension(value: Int64)
        case sizeLineFeed(value: Int64)
        case data(rest: Int64)
        case dataCarriageReturn
        case dataLineFeed
        case trailers(MessageHeadScanner, count: Int)
        case end
    }

    /// The part that the next byte belongs to.
    public private(set) var part = Part.chunks
    private var state = State.size(digits: 0, value: 0)
    private var extensionLength = 0
    private static let longestExtension = 16 << 10
    private static let longestTrailers = 64 << 10

    /// Creates a scanner at the start of a chunked body.
    public init() {}

    /// Scans bytes until ``part`` changes.
    /// - Returns: The number of scanned bytes. They belong to the part as it was before the call. The number is less
    ///   than the number of given bytes only if the part has changed.
    /// - Throws: ``MessageHeadViolation`` if the chunks are malformed or too long.
    public mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(MessageHeadViolation) -> Int {
        var index = 0
        while index < bytes.count {
            switch state {
            case .end: return index
            case .data(let rest):
                let count = Int(min(rest, Int64(bytes.count - index)))
                index += count
                state = rest == Int64(count) ? .dataCarriageReturn : .data(rest: rest - Int64(count))
            case .trailers(let scanner, let count):
                return try scanTrailers(UnsafeRawBufferPointer(rebasing: bytes[index...]), scanner, count) + index
            default:
                try accept(bytes[index])
                index += 1
                if part != .chunks { return index }
            }
        }
        return index
    }

    private mutating func scanTrailers(
        _ bytes: UnsafeRawBufferPointer, _ scanner: MessageHeadScanner, _ count: Int
    ) throws(MessageHeadViolation) -> Int {
        var scanner = scanner
        if let end = scanner.end(in: bytes) {
            state = .end
            part = .end
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
        case (.size(let digits, let value), 0x0D) where digits > 0: state = .sizeLineFeed(value: value)
        case (.size(let digits, let value), UInt8(ascii: ";")) where digits > 0: state = .chunkExtension(value: value)
        case (.chunkExtension(let value), 0x0D): state = .sizeLineFeed(value: value)
        case (.chunkExtension, let byte) where byte != 0x0A:
            extensionLength += 1
            guard extensionLength <= Self.longestExtension else {
                throw MessageHeadViolation("the chunk extensions are too long")
            }
        case (.sizeLineFeed(0), 0x0A):
            state = .trailers(MessageHeadScanner(afterFirstLine: ()), count: 0)
            part = .trailers
        case (.sizeLineFeed(let value), 0x0A): state = .data(rest: value)
        case (.dataCarriageReturn, 0x0D): state = .dataLineFeed
        case (.dataLineFeed, 0x0A): state = .size(digits: 0, value: 0)
        default: throw MessageHeadViolation("malformed chunks")
        }
    }
}

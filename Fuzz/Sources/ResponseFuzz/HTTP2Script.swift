// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// HTTP/2 frames (RFC 9113, section 4.1), written as lines, so that a changed byte usually changes the content and not
/// the framing.
///
/// A line begins with a letter: `H` HEADERS, `D` DATA, `R` RST_STREAM, `G` GOAWAY, `S` SETTINGS, `P` PUSH_PROMISE. A
/// lower-case letter sets END_STREAM. The fields of a block are `name=value`, separated by `|`.
enum HTTP2Script {
    static func frames(of script: [UInt8]) -> [UInt8] {
        script.split(separator: UInt8(ascii: "\n"), maxSplits: 64).flatMap { line in frame(of: line) }
    }

    private static func frame(of line: ArraySlice<UInt8>) -> [UInt8] {
        guard let letter = line.first else { return [] }
        let rest = Array(line.dropFirst())
        let isLast: UInt8 = letter & 0x20 == 0x20 ? 1 : 0
        return switch letter & ~0x20 {
        case UInt8(ascii: "H"): frame(1, flags: 4 | isLast, stream: 1, block(rest))
        case UInt8(ascii: "D"): frame(0, flags: isLast, stream: 1, rest)
        case UInt8(ascii: "R"): frame(3, stream: 1, padded(rest, to: 4))
        case UInt8(ascii: "G"): frame(7, stream: 0, padded(rest, to: 8))
        case UInt8(ascii: "S"): frame(4, stream: 0, padded(rest, to: rest.count / 6 * 6))
        case UInt8(ascii: "P"): frame(5, flags: 4, stream: 1, [0, 0, 0, 2] + block(rest))
        default: frame(letter, stream: 1, rest)
        }
    }

    private static func padded(_ bytes: [UInt8], to count: Int) -> [UInt8] {
        Array((bytes + [UInt8](repeating: 0, count: count)).prefix(count))
    }

    private static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let payload = payload.prefix(16_384)
        return [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, flags, 0, 0, 0, stream] + payload
    }

    /// Returns literal header fields without indexing (RFC 7541, section 6.2.2), of at most 126 bytes.
    private static func block(_ bytes: [UInt8]) -> [UInt8] {
        bytes.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false).flatMap { field -> [UInt8] in
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? [0] + text(parts[0]) + text(parts[1]) : []
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let bytes = bytes.prefix(126)
        return [UInt8(bytes.count)] + bytes
    }
}

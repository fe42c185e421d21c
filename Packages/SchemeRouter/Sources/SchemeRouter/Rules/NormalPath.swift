// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The path of a URL in the spelling that rules compare: without query and fragment, needless escapes resolved, the
/// needed ones in capitals, without dot segments. So two spellings of one path cannot be told apart by a rule, and none
/// slips past the deny list (RFC 3986, sections 6.2.2.1 to 6.2.2.3).
struct NormalPath {
    /// Longer paths are not judged.
    static let maxLength = 4_096
    let bytes: [UInt8]

    /// - Parameter target: path and query of a request.
    /// - Returns: `nil` for what is no path, or too long.
    init?(_ target: some StringProtocol) {
        let end = target.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? target.endIndex
        let path = target.utf8[..<end]
        guard path.count <= Self.maxLength else { return nil }
        guard !path.isEmpty else {
            bytes = [UInt8(ascii: "/")]
            return
        }
        guard path.first == UInt8(ascii: "/") else { return nil }
        let written = Array(path)
        // Nearly all paths are in that spelling already.
        let isPlain = Self.isPlain
        guard let spelled = written.allSatisfy({ isPlain[Int($0)] }) ? written : Self.spelling(of: written) else {
            return nil
        }
        bytes = Self.hasDotSegment(spelled) ? Self.withoutDotSegments(spelled) : spelled
    }

    /// Escapes what needs it, and nothing else.
    /// - Returns: `nil` for control characters.
    static func spelling(of path: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = path[...]
        result.reserveCapacity(rest.count)
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                // A percent sign without digits stands for itself: engines leave it as it is.
                guard rest.count >= 2, let high = nibble(rest[rest.startIndex]),
                    let low = nibble(rest[rest.startIndex + 1])
                else {
                    appendEscape(of: byte, to: &result)
                    continue
                }
                rest.removeFirst(2)
                let value = high << 4 | low
                if isUnreserved(value) { result.append(value) } else { appendEscape(of: value, to: &result) }
            case 0..<0x20, 0x7F:
                return nil
            case UInt8(ascii: "\\"):
                // Engines take it for a slash in http and https URLs (WHATWG URL, path state).
                result.append(UInt8(ascii: "/"))
            default:
                if isPathByte(byte) { result.append(byte) } else { appendEscape(of: byte, to: &result) }
            }
        }
        return result
    }

    private static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digit(byte >> 4))
        bytes.append(digit(byte & 0xf))
    }

    private static func hasDotSegment(_ path: [UInt8]) -> Bool {
        zip(path, path.dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: ".") }
    }

    /// RFC 3986, section 5.2.4, for a path that begins with a slash.
    private static func withoutDotSegments(_ path: [UInt8]) -> [UInt8] {
        var kept: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case [UInt8(ascii: ".")]: if isLast { kept.append([]) }
            case [UInt8(ascii: "."), UInt8(ascii: ".")]:
                _ = kept.popLast()
                if isLast { kept.append([]) }
            default: kept.append(segment)
            }
        }
        return [UInt8(ascii: "/")] + kept.joined(separator: [UInt8(ascii: "/")])
    }

    /// RFC 3986, section 2.3: escaped or not, they mean the same.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        ByteSet.word.contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "~")
    }

    /// The letters of `pchar` and the slash (RFC 3986, appendix A).
    private static func isPathByte(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || "!$&'()*+,;=:@/".utf8.contains(byte)
    }

    /// By byte.
    private static let isPlain = (UInt8.min...UInt8.max).map(isPathByte)

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

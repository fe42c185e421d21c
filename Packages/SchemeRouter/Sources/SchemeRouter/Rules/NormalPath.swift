// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The path of a URL in the normalised form that rules compare (RFC 3986, sections 6.2.2.1 to 6.2.2.3).
///
/// The path has no query, no fragment and no dot segments. Unnecessary escapes are decoded, and the others are in
/// upper case. Equivalent spellings of a path therefore match the same rules, including the deny list.
struct NormalPath {
    /// The maximum length in bytes. Longer paths are not evaluated.
    static let maxLength = 4_096
    let bytes: [UInt8]

    /// Creates the normalised path of a request target.
    /// - Parameter target: The path and query of a request.
    /// - Returns: `nil` if the target is not a path or is too long.
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
        // Most paths are already normalised.
        guard let spelled = written.allSatisfy(ASCIISet.path.contains) ? written : Self.spelling(of: written) else {
            return nil
        }
        bytes = Self.hasDotSegment(spelled) ? Self.withoutDotSegments(spelled) : spelled
    }

    /// Returns the path with exactly the required escapes.
    /// - Returns: `nil` if the path contains control characters.
    static func spelling(of path: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = path[...]
        result.reserveCapacity(rest.count)
        func append(_ byte: UInt8, keeping allowed: ASCIISet) {
            if allowed.contains(byte) {
                result.append(byte)
            } else {
                PercentEncoding.appendEscape(of: byte, to: &result)
            }
        }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                // A percent sign without two hexadecimal digits is a literal character; its normal form is `%25`.
                guard let high = rest.first?.hexDigitValue, let low = rest.dropFirst().first?.hexDigitValue else {
                    PercentEncoding.appendEscape(of: byte, to: &result)
                    continue
                }
                rest.removeFirst(2)
                append(high << 4 | low, keeping: .unreserved)
            case 0..<0x20, 0x7F:
                return nil
            case UInt8(ascii: "\\"):
                // Engines convert a backslash into a slash in http and https URLs (WHATWG URL, path state).
                result.append(UInt8(ascii: "/"))
            default:
                append(byte, keeping: .path)
            }
        }
        return result
    }

    private static func hasDotSegment(_ path: [UInt8]) -> Bool {
        zip(path, path.dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: ".") }
    }

    /// Removes dot segments of a path that begins with a slash (RFC 3986, section 5.2.4).
    private static func withoutDotSegments(_ path: [UInt8]) -> [UInt8] {
        var output: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case [UInt8(ascii: ".")]: if isLast { output.append([]) }
            case [UInt8(ascii: "."), UInt8(ascii: ".")]:
                _ = output.popLast()
                if isLast { output.append([]) }
            default: output.append(segment)
            }
        }
        return [UInt8(ascii: "/")] + output.joined(separator: [UInt8(ascii: "/")])
    }
}

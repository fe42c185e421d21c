// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import StrictJSON

/// The canonical form of JSON that TUF signs: names sorted by their code points, no white space, only integers, and in
/// strings only `"` and `\` escaped (TUF 1.0.34, section 4.2; OLPC canonical JSON).
enum CanonicalJSON {
    /// Returns the canonical form of a JSON text.
    /// - Throws: `JSONError` or ``TrustError`` with code `badMetadata`.
    static func encode(_ json: Data) throws -> [UInt8] {
        try json.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, limits: JSONScanner.Limits(depth: SignedDocument.maxDepth))
            var output: [UInt8] = []
            output.reserveCapacity(bytes.count)
            try append(&scanner, to: &output)
            try scanner.finish()
            return output
        }
    }

    /// Appends the canonical form of the next value.
    /// - Throws: `JSONError` or ``TrustError`` with code `badMetadata`.
    static func append(_ scanner: inout JSONScanner, to output: inout [UInt8]) throws {
        switch scanner.nextToken() {
        case UInt8(ascii: "{"): try appendObject(&scanner, to: &output)
        case UInt8(ascii: "["):
            output.append(UInt8(ascii: "["))
            var isFirst = true
            try scanner.readArray { scanner in
                if !isFirst { output.append(UInt8(ascii: ",")) }
                isFirst = false
                try append(&scanner, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case UInt8(ascii: "\""): append(try scanner.readString(), of: scanner, to: &output)
        case UInt8(ascii: "t"), UInt8(ascii: "f"):
            output.append(contentsOf: (try scanner.readBool() == true ? "true" : "false").utf8)
        case UInt8(ascii: "n"):
            _ = try scanner.readNull()
            output.append(contentsOf: "null".utf8)
        default:
            guard let text = try scanner.readInteger(), let value = scanner.integer(text) else {
                throw TrustError(.badMetadata, "a number that is no 64-bit integer")
            }
            output.append(contentsOf: String(value).utf8)
        }
    }

    /// A member of an object in the output.
    private struct Member {
        /// The start of the escaped name, after its quote.
        private let start: UInt32
        private let nameEnd: UInt32
        private let end: UInt32

        /// - Parameters:
        ///   - name: the range of the escaped name, without quotes.
        ///   - end: the end of the member.
        init(name: Range<Int>, end: Int) {
            (start, nameEnd, self.end) = (UInt32(name.lowerBound), UInt32(name.upperBound), UInt32(end))
        }

        var name: Range<Int> { Int(start)..<Int(nameEnd) }
        var all: Range<Int> { Int(start) - 1..<Int(end) }
    }

    private static func appendObject(_ scanner: inout JSONScanner, to output: inout [UInt8]) throws {
        output.append(UInt8(ascii: "{"))
        let start = output.count
        var members: [Member] = []
        var isSorted = true
        // A set of names would use more memory than the document.
        try scanner.readObject(checksNames: false) { scanner, name in
            if !members.isEmpty { output.append(UInt8(ascii: ",")) }
            let first = output.count
            append(name, of: scanner, to: &output)
            let range = first + 1..<output.count - 1
            if let last = members.last, isSorted { isSorted = precedes(last.name, range, in: output) }
            output.append(UInt8(ascii: ":"))
            try append(&scanner, to: &output)
            members.append(Member(name: range, end: output.count))
        }
        if !isSorted {
            members.sort { precedes($0.name, $1.name, in: output) }
            for (one, next) in zip(members, members.dropFirst()) where !precedes(one.name, next.name, in: output) {
                throw TrustError(.badMetadata, "a name that comes twice in one object")
            }
            var sorted: [UInt8] = []
            sorted.reserveCapacity(output.count - start)
            for member in members {
                if !sorted.isEmpty { sorted.append(UInt8(ascii: ",")) }
                sorted.append(contentsOf: output[member.all])
            }
            output.replaceSubrange(start..., with: sorted)
        }
        output.append(UInt8(ascii: "}"))
    }

    private static func append(_ text: JSONText, of scanner: JSONScanner, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        scanner.withBytes(of: text) { bytes in
            guard bytes.contains(where: isEscaped) else { return output.append(contentsOf: bytes) }
            for byte in bytes {
                if isEscaped(byte) { output.append(UInt8(ascii: "\\")) }
                output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }

    /// Compares two names without their escapes. The order of UTF-8 bytes is that of code points.
    private static func precedes(_ one: Range<Int>, _ other: Range<Int>, in output: [UInt8]) -> Bool {
        var (first, second) = (one.lowerBound, other.lowerBound)
        while first < one.upperBound, second < other.upperBound {
            if output[first] == UInt8(ascii: "\\") { first += 1 }
            if output[second] == UInt8(ascii: "\\") { second += 1 }
            guard output[first] == output[second] else { return output[first] < output[second] }
            first += 1
            second += 1
        }
        return first == one.upperBound && second < other.upperBound
    }
}

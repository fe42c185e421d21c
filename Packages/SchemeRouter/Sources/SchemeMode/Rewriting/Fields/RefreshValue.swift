// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The value of `Refresh` and of `<meta http-equiv=refresh>` (HTML, section "Shared declarative refresh steps").
enum RefreshValue {
    /// Returns the range of the URL; `nil` if there is none.
    static func url(in bytes: [UInt8]) -> Range<Int>? {
        var index = 0
        skipSpace(bytes, &index)
        let start = index
        while index < bytes.count, bytes[index].isASCIIDigit || bytes[index] == UInt8(ascii: ".") { index += 1 }
        guard index > start, index < bytes.count,
            bytes[index].isASCIIWhitespace || ";,".utf8.contains(bytes[index])
        else { return nil }
        skipSpace(bytes, &index)
        if index < bytes.count, ";,".utf8.contains(bytes[index]) { index += 1 }
        skipSpace(bytes, &index)
        let beginning = index
        if bytes[index...].startsIgnoringCase("url") {
            index += 3
            skipSpace(bytes, &index)
            if index < bytes.count, bytes[index] == UInt8(ascii: "=") {
                index += 1
                skipSpace(bytes, &index)
            } else {
                index = beginning
            }
        }
        guard index < bytes.count else { return nil }
        if bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") {
            let quote = bytes[index]
            return index + 1..<(bytes[(index + 1)...].firstIndex(of: quote) ?? bytes.count)
        }
        return index..<bytes.count
    }

    static func edits(of bytes: [UInt8], in context: RewritingContext) -> [ByteEdit] {
        guard let range = url(in: bytes) else { return [] }
        return URLReference.edits(of: bytes[range], as: .navigation, in: context).map { $0.moved(by: range.lowerBound) }
    }

    private static func skipSpace(_ bytes: [UInt8], _ index: inout Int) {
        while index < bytes.count, bytes[index].isASCIIWhitespace { index += 1 }
    }
}

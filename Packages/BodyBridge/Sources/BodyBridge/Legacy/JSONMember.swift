// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Finds a member's text in JSON: a decoded object has lost the order of its keys and the spelling of its numbers, and a
/// server may have a signature of them.
enum JSONMember {
    /// The bytes of a member's value, where the outermost object has exactly one of that name.
    /// - Parameter json: well-formed, as a decoder has found.
    static func value(of name: String, in json: Data) -> Data? {
        let bytes = [UInt8](json)
        var found: Range<Int>?
        var depth = 0
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                index += 1
            case UInt8(ascii: "\""):
                let end = endOfString(bytes, index)
                let colon = afterBlanks(bytes, end)
                if depth == 1, colon < bytes.count, bytes[colon] == UInt8(ascii: ":"),
                    bytes[(index + 1)..<max(index + 1, end - 1)].elementsEqual(name.utf8)
                {
                    guard found == nil else { return nil }
                    let start = afterBlanks(bytes, colon + 1)
                    let valueEnd = endOfValue(bytes, start)
                    found = start..<valueEnd
                    index = valueEnd
                } else {
                    index = end
                }
            default: index += 1
            }
        }
        return found.map { Data(bytes[$0]) }
    }

    /// The index behind the closing quote.
    private static func endOfString(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, bytes.count)
    }

    private static func endOfValue(_ bytes: [UInt8], _ start: Int) -> Int {
        var depth = 0
        var index = start
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index = endOfString(bytes, index)
                if depth == 0 { return index }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The end of the object around a number or a word.
                guard depth > 0 else { return index }
                depth -= 1
                index += 1
                if depth == 0 { return index }
            case UInt8(ascii: ",") where depth == 0: return index
            default: index += 1
            }
        }
        return index
    }

    private static func afterBlanks(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
        return index
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What decoders of JSON let pass, and must not: an encoding other than UTF-8, depth without bound, and names that come
/// twice, of which one reader takes the first and another the last.
enum JSONOutline {
    /// - Throws: ``RemoteConfigError``. What is no JSON otherwise may pass.
    static func check(_ json: Data, maxDepth: Int) throws(RemoteConfigError) {
        // Also the marks of UTF-16 and UTF-32, of which each letter has a zero (RFC 8259, section 8.1).
        guard !json.contains(0), json.first.map({ $0 < 0x80 }) ?? false, String(validating: json, as: UTF8.self) != nil
        else { throw RemoteConfigError(.badDocument, "not UTF-8") }
        /// The names so far of each object that is open; `nil` for an array.
        var open: [Set<Data>?] = []
        var isName = false
        var index = json.startIndex
        while index < json.endIndex {
            switch json[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                isName = json[index] == UInt8(ascii: "{")
                open.append(isName ? [] : nil)
                guard open.count <= maxDepth else { throw RemoteConfigError(.limit, "more than \(maxDepth) levels") }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = open.popLast()
                isName = false
            case UInt8(ascii: ","):
                if case .some(.some) = open.last { isName = true }
            case UInt8(ascii: ":"):
                isName = false
            case UInt8(ascii: "\""):
                let (text, hasEscapes) = string(in: json, from: &index)
                if isName, let last = open.indices.last {
                    let isNew = open[last]?.insert(text).inserted ?? true
                    guard isNew, !hasEscapes else {
                        throw RemoteConfigError(
                            .badDocument,
                            "a name that comes twice, or has escapes: \(String(decoding: text, as: UTF8.self))")
                    }
                }
            default: break
            }
            index += 1
        }
    }

    /// - Parameter index: of the first quote; afterwards of the last.
    private static func string(in json: Data, from index: inout Int) -> (text: Data, hasEscapes: Bool) {
        index += 1
        let start = index
        var hasEscapes = false
        while index < json.endIndex, json[index] != UInt8(ascii: "\"") {
            if json[index] == UInt8(ascii: "\\") {
                hasEscapes = true
                index += 1
            }
            index += 1
        }
        return (json[start..<min(index, json.endIndex)], hasEscapes)
    }
}

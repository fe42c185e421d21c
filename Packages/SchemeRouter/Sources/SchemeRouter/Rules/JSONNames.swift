// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The names in JSON, which decoders take once, whichever: what one reader checks another might not see.
enum JSONNames {
    /// The first name that comes twice in one object, or is written with escapes.
    /// - Parameter json: is well-formed.
    static func repeated(in json: Data) -> String? {
        var objects: [Set<Data>?] = []
        // Whether the next text is a name.
        var isName = false
        var index = json.startIndex
        while index < json.endIndex {
            switch json[index] {
            case UInt8(ascii: "{"):
                objects.append([])
                isName = true
            case UInt8(ascii: "["):
                objects.append(nil)
                isName = false
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = objects.popLast()
                isName = false
            case UInt8(ascii: ","):
                if case .some(.some) = objects.last { isName = true }
            case UInt8(ascii: ":"):
                isName = false
            case UInt8(ascii: "\""):
                let start = index + 1
                index = start
                var hasEscapes = false
                while index < json.endIndex, json[index] != UInt8(ascii: "\"") {
                    if json[index] == UInt8(ascii: "\\") {
                        hasEscapes = true
                        index += 1
                    }
                    index += 1
                }
                let text = json[start..<min(index, json.endIndex)]
                if isName, let last = objects.indices.last {
                    let isNew = objects[last]?.insert(text).inserted ?? true
                    if hasEscapes || !isNew { return String(decoding: text, as: UTF8.self) }
                }
            default: break
            }
            index += 1
        }
        return nil
    }
}

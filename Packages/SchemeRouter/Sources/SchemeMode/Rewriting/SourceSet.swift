// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// `srcset` (HTML, section "Parsing a srcset attribute"): URLs with descriptors, between commas.
enum SourceSet {
    static func edits(of bytes: [UInt8], in context: RewritingContext) -> [ByteEdit] {
        var edits: [ByteEdit] = []
        var index = 0
        while index < bytes.count {
            if bytes[index].isASCIIWhitespace || bytes[index] == UInt8(ascii: ",") {
                index += 1
                continue
            }
            let start = index
            while index < bytes.count, !bytes[index].isASCIIWhitespace { index += 1 }
            var end = index
            while bytes[end - 1] == UInt8(ascii: ",") { end -= 1 }
            edits += URLReference.edits(of: bytes[start..<end], as: .load, in: context).map { $0.moved(by: start) }
            if end == index { skipDescriptors(bytes, &index) }
        }
        return edits
    }

    private static func skipDescriptors(_ bytes: [UInt8], _ index: inout Int) {
        var isInParentheses = false
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "("): isInParentheses = true
            case UInt8(ascii: ")"): isInParentheses = false
            case UInt8(ascii: ",") where !isInParentheses: return
            default: break
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The rewriter of the `Link` field (RFC 8288, section 3). Targets of links that load resources become custom-scheme
/// URLs.
enum LinkField {
    static func rewrite(_ value: String, in context: RewritingContext) -> String {
        let bytes = Array(value.utf8)
        var edits: [ByteEdit] = []
        for link in links(in: bytes) where link.rel.map({ RewrittenAttribute.loads($0) }) ?? false {
            edits += URLReference.edits(of: bytes[link.target], as: .load, in: context)
                .map { $0.moved(by: link.target.lowerBound) }
        }
        return edits.isEmpty ? value : String(decoding: ByteEdit.apply(edits, to: bytes), as: UTF8.self)
    }

    private static func links(in bytes: [UInt8]) -> [(target: Range<Int>, rel: [UInt8]?)] {
        var links: [(target: Range<Int>, rel: [UInt8]?)] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<") else {
                index += 1
                continue
            }
            guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ">")) else { break }
            let target = index + 1..<end
            index = end + 1
            links.append((target, rel(bytes, &index)))
        }
        return links
    }

    /// Reads the parameters up to the next link and returns the first `rel`.
    private static func rel(_ bytes: [UInt8], _ index: inout Int) -> [UInt8]? {
        var rel: [UInt8]?
        var parameter: [UInt8] = []
        func end() {
            let parts = parameter.split(separator: UInt8(ascii: "="), maxSplits: 1)
            let name = parts.first?.filter { !$0.isASCIIWhitespace } ?? []
            if rel == nil, parts.count == 2, name.equalsIgnoringCase("rel") { rel = Array(parts[1]) }
            parameter = []
        }
        while index < bytes.count, bytes[index] != UInt8(ascii: ",") {
            switch bytes[index] {
            case UInt8(ascii: ";"): end()
            case UInt8(ascii: "\""):
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    if bytes[index] == UInt8(ascii: "\\") { index += 1 }
                    if index < bytes.count { parameter.append(bytes[index]) }
                    index += 1
                }
            default: parameter.append(bytes[index])
            }
            index += 1
        }
        index = min(index, bytes.count)
        end()
        return rel
    }
}

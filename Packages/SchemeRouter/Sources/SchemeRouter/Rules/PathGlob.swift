// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Reads a glob: `*` stands for any letters of one part of the path, `**` for any letters, `?` for one letter that is no
/// slash, and `/**/` also for a single slash. All else stands for itself.
enum PathGlob {
    /// - Throws: ``RouteError`` with code `badRule`.
    static func parse(_ text: String) throws -> PathSyntax {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, first == UInt8(ascii: "/") || first == star else {
            throw RouteError(.badRule, "a path pattern begins with a slash or a star")
        }
        var parts: [PathSyntax] = []
        var literal: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == star || byte == UInt8(ascii: "?") else {
                literal.append(byte)
                continue
            }
            try flush(&literal, into: &parts)
            guard byte == star else {
                parts.append(.one(.segment))
                continue
            }
            guard rest.first == star else {
                parts.append(.run(of: .segment))
                continue
            }
            rest.removeFirst()
            guard rest.first != star else { throw RouteError(.badRule, "more than two stars in a row") }
            let before = rest.startIndex - 3
            let isWholePart = before < 0 || bytes[before] == UInt8(ascii: "/")
            if isWholePart, rest.first == UInt8(ascii: "/"), before >= 0 {
                // Between two slashes it also stands for nothing, and then for one of the slashes.
                rest.removeFirst()
                let folders = PathSyntax.joined([.run(of: .all), .one(ByteSet(UInt8(ascii: "/")))])
                parts.append(.repeated(folders, min: 0, max: 1))
            } else {
                parts.append(.run(of: .all))
            }
        }
        try flush(&literal, into: &parts)
        return .joined(parts)
    }

    private static let star = UInt8(ascii: "*")

    /// Takes the letters so far in the spelling that paths are compared in.
    private static func flush(_ literal: inout [UInt8], into parts: inout [PathSyntax]) throws {
        guard let bytes = NormalPath.spelling(of: literal) else {
            throw RouteError(.badRule, "a control character in a path pattern")
        }
        parts += bytes.map { .one(ByteSet($0)) }
        literal.removeAll(keepingCapacity: true)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// What of the answers is rewritten, by their `Content-Type`.
///
/// XHTML and SVG are read as XML; other XML is data. An answer without a type passes: to guess is the engine's affair.
enum RewrittenType: Equatable {
    case document(DocumentSyntax)
    case styleSheet

    init?(_ type: String) {
        let name = type.utf8.prefix { $0 != UInt8(ascii: ";") }.drop { $0.isASCIIWhitespace }
        // The first letters tell most others.
        guard let first = name.first, "tTaAiI".utf8.contains(first) else { return nil }
        let end = name.lastIndex { !$0.isASCIIWhitespace }.map { name.index(after: $0) } ?? name.startIndex
        let essence = name[..<end]
        if essence.equalsIgnoringCase("text/html") {
            self = .document(.html)
        } else if essence.equalsIgnoringCase("text/css") {
            self = .styleSheet
        } else if essence.equalsIgnoringCase("application/xhtml+xml") || essence.equalsIgnoringCase("image/svg+xml") {
            self = .document(.xml)
        } else {
            return nil
        }
    }
}

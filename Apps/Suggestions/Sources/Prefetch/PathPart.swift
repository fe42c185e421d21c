// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Prefetch
internal import WebSyntax

/// The segments of a path. The name of a segment is the previous segment, so that `/token/abc` is equivalent to
/// `?token=abc`.
struct PathPart: Sendable {
    struct Segment: Sendable {
        /// The segment as written in the path.
        let raw: Substring
        /// The segment without escapes.
        let text: String
        /// The previous segment. Empty for the first segment and after a word for a read operation; see
        /// ``PathClassifier``.
        let name: String
    }

    let segments: [Segment]

    init(_ path: String) {
        var segments: [Segment] = []
        var name = ""
        for raw in path.prefix(while: { $0 != "?" && $0 != "#" }).split(
            separator: "/", omittingEmptySubsequences: false)
        {
            // `PageParameters` decodes the escapes: a segment is parsed like a parameter name without a value.
            let text = PageParameters(query: String(raw.replacing("=", with: "%3D"))).pairs.first?.name ?? ""
            segments.append(Segment(raw: raw, text: text, name: PathClassifier.isReading(text) ? "" : name))
            // Most servers treat `/token//abc` like `/token/abc`.
            if text.contains(where: { $0.isLetter || $0.isNumber }) { name = text }
        }
        self.segments = segments
    }
}

extension PathPart.Segment {
    /// A Boolean value that indicates whether the segment looks generated: a UUID, a digest or a key. Plain numbers
    /// and slugs of words with hyphens do not count.
    var isOpaque: Bool { text.split(separator: ".").contains { Self.isOpaque($0) } }

    private static func isOpaque(_ stem: Substring) -> Bool {
        let digits = stem.utf8.filter { $0 != UInt8(ascii: "-") }
        if digits.count >= 32, digits.allSatisfy({ $0.hexDigitValue != nil }) { return true }
        return stem.split { !$0.isASCII || !$0.isLetter && !$0.isNumber }.contains { run in
            run.count >= 16 && run.contains(where: \.isNumber) && run.contains(where: \.isLetter)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Prefetch
internal import WebSyntax

/// The parts of a path, each with the one before it as its name: `/token/abc` says what `?token=abc` does.
struct PathPart: Sendable {
    struct Segment: Sendable {
        /// As it stands in the path.
        let raw: Substring
        /// Without escapes.
        let text: String
        /// The segment before it; empty for the first, and for a word that only says what is done.
        let name: String
    }

    let segments: [Segment]

    init(_ path: String) {
        var segments: [Segment] = []
        var name = ""
        for raw in path.prefix(while: { $0 != "?" && $0 != "#" }).split(
            separator: "/", omittingEmptySubsequences: false)
        {
            // Read as a name without a value: the escapes are the same.
            let text = PageParameters(query: String(raw.replacing("=", with: "%3D"))).pairs.first?.name ?? ""
            segments.append(Segment(raw: raw, text: text, name: PathClassifier.isReading(text) ? "" : name))
            // `/token//abc` is `/token/abc` to most servers.
            if text.contains(where: { $0.isLetter || $0.isNumber }) { name = text }
        }
        self.segments = segments
    }
}

extension PathPart.Segment {
    /// Whether it looks as if a machine had made it up: a UUID, a digest, a key. What is a number alone is somebody's at
    /// most, and a slug is words between hyphens.
    var isOpaque: Bool { text.split(separator: ".").contains { Self.isOpaque($0) } }

    private static func isOpaque(_ stem: Substring) -> Bool {
        let digits = stem.utf8.filter { $0 != UInt8(ascii: "-") }
        if digits.count >= 32, digits.allSatisfy({ $0.hexDigitValue != nil }) { return true }
        return stem.split { !$0.isASCII || !$0.isLetter && !$0.isNumber }.contains { run in
            run.count >= 16 && run.contains(where: \.isNumber) && run.contains(where: \.isLetter)
        }
    }
}

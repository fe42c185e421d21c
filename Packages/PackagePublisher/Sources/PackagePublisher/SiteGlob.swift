// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import PackageFormat
internal import SystemSupport

/// A pattern for files and folders of a site.
///
/// `*` matches any characters except a slash, `?` one character except a slash, `**` any characters, and `**/` also
/// nothing. Other characters match themselves, with their case. A pattern without a slash matches names at any depth.
/// A pattern with a slash at its start or inside matches paths from the root of the site. A slash at its end limits the
/// pattern to folders. A folder that matches includes everything in it.
public struct SiteGlob: Sendable, Hashable, CustomStringConvertible {
    private enum Part: Hashable {
        case scalar(Unicode.Scalar)
        /// `?`
        case one
        /// `*`
        case segment
        /// `**`
        case all
        /// `**/`: nothing, or any characters that end in a slash.
        case folders
    }

    /// The pattern as text.
    public let description: String
    private let parts: [Part]
    private let isAnchored: Bool
    private let matchesFoldersOnly: Bool

    /// Parses a pattern of at most 1,024 bytes.
    /// - Throws: `PackageError` with code `badManifest`.
    public init(_ text: String) throws {
        func refuse(_ reason: String) -> PackageError {
            PackageError(.badManifest, "pattern of files: \(reason)", at: text.printable(limit: 200))
        }
        guard text.utf8.count <= 1_024 else { throw refuse("more than 1024 bytes") }
        var rest = Array(text.precomposedStringWithCanonicalMapping.unicodeScalars)[...]
        guard !rest.contains(where: { $0 == "\\" || $0.properties.generalCategory == .control }) else {
            throw refuse("backslash or control character")
        }
        matchesFoldersOnly = rest.last == "/"
        if matchesFoldersOnly { rest.removeLast() }
        isAnchored = rest.contains("/")
        if rest.first == "/" { rest.removeFirst() }
        guard !rest.isEmpty, rest.first != "/", rest.last != "/" else { throw refuse("empty or with empty components") }
        var parts: [Part] = []
        while let scalar = rest.popFirst() {
            switch scalar {
            case "?": parts.append(.one)
            case "*" where rest.first == "*":
                let isWhole = parts.isEmpty || parts.last == .scalar("/") || parts.last == .folders
                rest.removeFirst()
                guard rest.first != "*" else { throw refuse("more than two stars in a row") }
                if isWhole, rest.first == "/" {
                    rest.removeFirst()
                    parts.append(.folders)
                } else {
                    parts.append(.all)
                }
            case "*": parts.append(.segment)
            default: parts.append(.scalar(scalar))
            }
        }
        self.parts = parts
        description = text
    }

    /// Returns a Boolean value that indicates whether the pattern matches a file or a folder.
    /// - Parameter path: the path relative to the site.
    func matches(_ path: String, isFolder: Bool) -> Bool {
        guard isFolder || !matchesFoldersOnly else { return false }
        var name = Array(path.precomposedStringWithCanonicalMapping.unicodeScalars)[...]
        if !isAnchored, let slash = name.lastIndex(of: "/") { name = name[(slash + 1)...] }
        // The set of parts that may match next. Its size bounds the work for each character.
        var active = [Bool](repeating: false, count: parts.count + 1)
        activate(0, in: &active)
        for scalar in name {
            var next = [Bool](repeating: false, count: parts.count + 1)
            for (index, part) in parts.enumerated() where active[index] {
                switch part {
                case .scalar(let expected): if scalar == expected { activate(index + 1, in: &next) }
                case .one: if scalar != "/" { activate(index + 1, in: &next) }
                case .segment: if scalar != "/" { activate(index, in: &next) }
                case .all: activate(index, in: &next)
                case .folders:
                    next[index] = true
                    if scalar == "/" { activate(index + 1, in: &next) }
                }
            }
            active = next
        }
        return active[parts.count]
    }

    /// Adds a part, and those behind parts that also match nothing.
    private func activate(_ index: Int, in active: inout [Bool]) {
        var index = index
        active[index] = true
        while index < parts.count, [.segment, .all, .folders].contains(parts[index]) {
            index += 1
            active[index] = true
        }
    }
}

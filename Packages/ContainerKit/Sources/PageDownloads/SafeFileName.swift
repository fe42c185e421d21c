// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a file may be called whose name a server or a page has chosen.
enum SafeFileName {
    /// In UTF-8: with a number after it, and on all file systems.
    static let lengthLimit = 200
    /// What is taken for an extension, with its dot, in UTF-8.
    private static let extensionLimit = 20
    private static let fallback = "download"

    /// One name without folders, of 1 to 200 bytes: without control and format characters, by which one name can be shown as
    /// another, without what some file system or shell keeps for itself, without dots and blanks at its beginning, which
    /// hide a file, and at its end.
    static func make(_ suggested: String?) -> String {
        guard let suggested else { return fallback }
        // Scalar by scalar, as the file system has it: a slash with a mark behind it is another character, and no other
        // byte. Of longer names nothing would be left anyway.
        let shown = suggested.unicodeScalars.suffix(8_192).filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        var name = ""
        for scalar in shown.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? [] {
            name.unicodeScalars.append(#":*?"<>|"#.unicodeScalars.contains(scalar) ? "_" : scalar)
        }
        name = trimmed(name)
        let (stem, ending) = parts(of: name)
        name = trimmed(cut(stem, to: lengthLimit - ending.utf8.count)) + ending
        return name.isEmpty || name == ending ? fallback + ending : name
    }

    /// The name with a number: `name (1).zip`.
    static func numbered(_ name: String, _ number: Int) -> String {
        let (stem, ending) = parts(of: name)
        return "\(stem) (\(number))\(ending)"
    }

    private static func parts(of name: String) -> (stem: String, ending: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, name[dot...].utf8.count <= extensionLimit,
            name[dot...].utf8.count > 1
        else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }

    private static func trimmed(_ name: String) -> String {
        var rest = name.unicodeScalars[...]
        while let first = rest.first, first == "." || first.properties.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last == "." || last.properties.isWhitespace { rest.removeLast() }
        return String(rest)
    }

    /// Whole characters alone.
    private static func cut(_ text: String, to limit: Int) -> String {
        var text = text
        while text.utf8.count > limit { text.removeLast() }
        return text
    }
}

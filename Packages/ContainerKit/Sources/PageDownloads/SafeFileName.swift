// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The conversion of names that a server or a page has chosen to safe file names.
enum SafeFileName {
    /// The maximum length in bytes of UTF-8. All file systems accept it, even with a number appended.
    static let lengthLimit = 200
    /// The maximum length of an extension with its dot, in bytes of UTF-8.
    private static let extensionLimit = 20
    private static let fallback = "download"

    /// Returns a name without folders, of 1 to 200 bytes.
    ///
    /// The name has no control and format characters, which can disguise a name, and no characters that a file system
    /// or a shell reserves. It has no dots and white space at its start, which hide a file, and none at its end.
    static func make(_ suggested: String?) -> String {
        guard let suggested else { return fallback }
        // Split by scalars, because the file system compares bytes: to Swift, a slash with a combining mark is another
        // character. The last 8,192 scalars of a longer name suffice.
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

    /// Returns a name with a number: `name (1).zip`.
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

    /// Returns a prefix of whole characters that fits into a number of bytes.
    private static func cut(_ text: String, to limit: Int) -> String {
        var text = text
        while text.utf8.count > limit { text.removeLast() }
        return text
    }
}

/// The value of `Content-Disposition` (RFC 6266). A value that cannot be parsed counts as absent.
struct ContentDisposition: Hashable {
    /// A Boolean value that indicates whether the response must be saved instead of shown.
    private(set) var isAttachment = false
    /// The value of `filename*` (RFC 8187) if it can be decoded, otherwise of `filename`. The value is untrusted.
    private(set) var fileName: String?

    /// The maximum length of a value that is parsed, in bytes.
    private static let lengthLimit = 8_192

    init(_ field: String?) {
        guard let field, field.utf8.count <= Self.lengthLimit else { return }
        let parameters = FieldParameters(field)
        isAttachment = parameters.value.utf8.equalsIgnoringCase("attachment")
        fileName = parameters.rawValue(of: "filename*").flatMap(Self.decoded) ?? parameters["filename"]
    }

    /// Decodes an extended value (RFC 8187, section 3.2) such as `UTF-8''%e2%82%ac.txt`.
    private static func decoded(_ value: Substring) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = PercentEncoding.decode(parts[2].utf8) else { return nil }
        switch parts[0].lowercased() {
        case "utf-8": return String(validUTF8: bytes)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}

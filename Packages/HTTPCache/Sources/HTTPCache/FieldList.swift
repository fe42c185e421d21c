// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Lists in field values (RFC 9110, section 5.6.1).
enum FieldList {
    /// The members of a list, without the white space around them; empty members are left out.
    ///
    /// A comma within a quoted string does not divide. Where a quotation mark is never closed, the marks count as
    /// letters: what a broken field says after it, such as `no-store`, must not be hidden.
    static func members(of value: String) -> [Substring] {
        split(value, at: UInt8(ascii: ","), quoting: true) ?? split(value, at: UInt8(ascii: ","), quoting: false) ?? []
    }

    /// The members of all fields of one name.
    static func members(of values: [String]) -> [Substring] {
        values.flatMap { members(of: $0) }
    }

    /// - Returns: `nil` where a quotation mark is not closed.
    private static func split(_ value: String, at separator: UInt8, quoting: Bool) -> [Substring]? {
        let text = value.utf8
        var members: [Substring] = []
        var start = text.startIndex
        var index = start
        var isQuoted = false
        func close(at end: String.Index) {
            let member = value[start..<end].trimmed
            if !member.isEmpty { members.append(member) }
        }
        while index < text.endIndex {
            let byte = text[index]
            if isQuoted, byte == UInt8(ascii: "\\") {
                index = text.index(after: index)
                guard index < text.endIndex else { return nil }
            } else if quoting, byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if !isQuoted, byte == separator {
                close(at: index)
                start = text.index(after: index)
            }
            index = text.index(after: index)
        }
        guard !isQuoted else { return nil }
        close(at: text.endIndex)
        return members
    }
}

extension Substring {
    /// Without optional white space (RFC 9110, section 5.6.3) at both ends.
    var trimmed: Substring {
        var bytes = utf8
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return Substring(bytes)
    }

    /// What a token or a quoted string says, without its quotation marks.
    var unquoted: String {
        guard utf8.count >= 2, utf8.first == UInt8(ascii: "\""), utf8.last == UInt8(ascii: "\"") else {
            return String(self)
        }
        var result = ""
        var isEscaped = false
        for letter in unicodeScalars.dropFirst().dropLast() {
            if letter == "\\", !isEscaped {
                isEscaped = true
            } else {
                result.unicodeScalars.append(letter)
                isEscaped = false
            }
        }
        return result
    }
}

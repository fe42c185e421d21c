// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What the app tells older pages of their cookies.
public enum LegacyCookieScript {
    /// A statement that puts a page's cookies into `window.original_cookie`. The text may be anything: as a script of its own
    /// and inside of a `script` element it stays that one string.
    public static func assignment(of cookies: String) -> String {
        "window.original_cookie = '\(escaped(cookies))';"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "'": result += "\\'"
            case "\"": result += "\\\""
            // Those of markup end a script element, or begin a comment in it; the two separators end a line in older engines.
            case "\u{0}"..<" ", "\u{7F}", "<", ">", "&", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Conversion of external text to one line for a terminal.
public enum OneLine {
    /// Returns the text with each run of spaces, tabs and line breaks as one space and other control characters as
    /// U+FFFD.
    public static func text(_ string: String) -> String {
        var result = String.UnicodeScalarView()
        var isBlank = false
        for scalar in string.unicodeScalars {
            if scalar == " " || scalar == "\n" || scalar == "\r" || scalar == "\t" {
                if !isBlank { result.append(" ") }
                isBlank = true
                continue
            }
            isBlank = false
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}

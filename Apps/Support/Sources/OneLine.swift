// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Text from outside, made fit for one line of a terminal.
public enum OneLine {
    /// Runs of blanks and line ends become one blank, other control characters U+FFFD.
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

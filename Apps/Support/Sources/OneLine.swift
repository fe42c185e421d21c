// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport

/// Conversion of external text to one line for a terminal.
public enum OneLine {
    /// Returns the text with each run of spaces, tabs and line breaks as one space, and other characters that are not
    /// printable as U+FFFD.
    public static func text(_ string: String) -> String {
        string.unicodeScalars
            .split { $0 == " " || $0 == "\n" || $0 == "\r" || $0 == "\t" }
            .map { String(String.UnicodeScalarView($0)).printable() }.joined(separator: " ")
    }
}

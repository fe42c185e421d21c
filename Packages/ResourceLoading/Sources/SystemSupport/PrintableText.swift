// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension StringProtocol {
    /// Returns the text as one line that is safe to print in a message or a log.
    ///
    /// Controls, separators of lines and paragraphs, and format characters such as a change of direction, become
    /// U+FFFD (general categories Cc, Zl, Zp and Cf of Unicode).
    /// - Parameter limit: The most Unicode scalars of the result; what follows is cut off.
    public func printable(limit: Int) -> String {
        var line = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(limit) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: line.append("\u{FFFD}")
            default: line.append(scalar)
            }
        }
        return String(line)
    }
}

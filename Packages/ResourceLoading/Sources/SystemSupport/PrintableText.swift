// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension StringProtocol {
    /// Returns the text as one line that is safe to print in a message or a log.
    ///
    /// Control characters, line and paragraph separators, and format characters such as bidirectional controls become
    /// U+FFFD (Unicode general categories Cc, Zl, Zp and Cf).
    /// - Parameter limit: the maximum number of Unicode scalars of the result; the rest is truncated.
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

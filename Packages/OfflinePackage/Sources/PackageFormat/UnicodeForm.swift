// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// Unicode's normal forms, and text that is safe to print.
enum UnicodeForm {
    /// Normal form C.
    static func canonical(_ string: String) -> String {
        isASCII(string) ? string : string.precomposedStringWithCanonicalMapping
    }

    /// Normal form KC.
    static func compatible(_ string: String) -> String {
        isASCII(string) ? string : string.precomposedStringWithCompatibilityMapping
    }

    /// One key for all names that some file system takes for the same: without regard to case and form.
    static func folded(_ string: String) -> String {
        // Upper case first: it is what brings ß and SS, ſ and s, together.
        isASCII(string) ? string.lowercased() : canonical(canonical(string).uppercased().lowercased())
    }

    /// A name from outside, cut and with controls replaced, for messages.
    static func printable(_ string: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in string.unicodeScalars.prefix(200) {
            let isControl = [.control, .format, .lineSeparator, .paragraphSeparator].contains(
                scalar.properties.generalCategory)
            result.append(isControl ? "\u{FFFD}" : scalar)
        }
        return String(result)
    }

    private static func isASCII(_ string: String) -> Bool { string.utf8.allSatisfy { $0 < 0x80 } }
}

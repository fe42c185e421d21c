// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// Unicode's normal forms.
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

    private static func isASCII(_ string: String) -> Bool { string.utf8.allSatisfy { $0 < 0x80 } }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A string of a JSON text, found but not copied.
struct JSONText {
    /// Its bytes: in the input, or in the scanner's scratch where the string has escapes.
    var range: Range<Int>
    var hasEscapes: Bool
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A string or a number of a JSON text, found but not copied.
public struct JSONText: Sendable {
    /// The position of its bytes: in the input, or in the scanner's scratch if the string has escapes.
    public let range: Range<Int>
    @usableFromInline let hasEscapes: Bool

    @inlinable
    init(range: Range<Int>, hasEscapes: Bool) {
        self.range = range
        self.hasEscapes = hasEscapes
    }
}

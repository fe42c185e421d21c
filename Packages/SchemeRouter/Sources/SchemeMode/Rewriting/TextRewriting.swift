// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// Rewrites a text that arrives in pieces. The same bytes come out, whatever the pieces are.
@_spi(Fuzzing) public protocol TextRewriting: Sendable {
    /// Takes the next piece.
    /// - Returns: what is known to be final by now; possibly nothing, possibly more than went in.
    mutating func feed(_ piece: Data) -> Data
    /// The text is over.
    /// - Returns: what was held back.
    mutating func finish() -> Data
}

@_spi(Fuzzing) extension TextRewriting {
    /// Rewrites a text that is whole.
    public mutating func rewrite(_ text: Data) -> Data {
        feed(text) + finish()
    }
}

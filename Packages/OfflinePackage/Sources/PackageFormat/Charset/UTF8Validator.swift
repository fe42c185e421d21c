// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// An incremental validator of UTF-8 (Unicode, table 3-7) that also rejects U+0000, which indicates UTF-16.
struct UTF8Validator: Sendable {
    /// A Boolean value that indicates whether a non-ASCII byte was read.
    private(set) var hasNonASCII = false
    private var isValid = true
    /// The number of continuation bytes that the current sequence still needs.
    private var missing = 0
    /// The bounds of the next continuation byte.
    private var lower: UInt8 = 0x80
    private var upper: UInt8 = 0xBF

    /// A Boolean value that indicates whether all bytes so far are complete UTF-8 sequences.
    var isComplete: Bool { isValid && missing == 0 }

    mutating func append(_ data: Data) {
        guard isValid else { return }
        data.withUnsafeBytes { bytes in
            for byte in bytes {
                if missing == 0 {
                    guard byte >= 0x80 else {
                        guard byte > 0 else { return isValid = false }
                        continue
                    }
                    hasNonASCII = true
                    guard begin(byte) else { return isValid = false }
                } else {
                    guard lower...upper ~= byte else { return isValid = false }
                    (lower, upper) = (0x80, 0xBF)
                    missing -= 1
                }
            }
        }
    }

    /// Starts a sequence. Returns `false` if the byte cannot start one.
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lower) = (2, 0xA0)
        case 0xED: (missing, upper) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lower) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, upper) = (3, 0x8F)
        default: return false
        }
        return true
    }
}

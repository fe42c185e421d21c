// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser

/// Numbers on the command line, with a refusal that says what is allowed.
public enum NumberOption {
    /// Reads a whole number.
    /// - Parameter name: what the number is, with its unit, as the refusal's first words: `a port`.
    public static func integer(_ name: String, in range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
        { text in
            guard let number = Int(text), range.contains(number) else {
                let end = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
                throw ValidationError("\(name) is \(range.lowerBound) \(end)")
            }
            return number
        }
    }

    /// Reads a number of seconds, a thousandth to a day. Limits are never missing, and never too large for a clock.
    public static func seconds(_ name: String) -> @Sendable (String) throws -> Double {
        { text in
            guard let number = Double(text), (0.001...86_400).contains(number) else {
                throw ValidationError("\(name) is 0.001 to 86400 seconds")
            }
            return number
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser

/// Parsers for numbers on the command line. Their errors state the permitted range.
public enum NumberOption {
    /// Returns a parser for an integer.
    /// - Parameter name: The noun with its unit at the beginning of the error message, such as `a port`.
    public static func integer(_ name: String, in range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
        { text in
            guard let number = Int(text), range.contains(number) else {
                let end = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
                throw ValidationError("\(name) is \(range.lowerBound) \(end)")
            }
            return number
        }
    }

    /// Returns a parser for seconds, from 0.001 to 86,400.
    public static func seconds(_ name: String) -> @Sendable (String) throws -> Double {
        { text in
            guard let number = Double(text), (0.001...86_400).contains(number) else {
                throw ValidationError("\(name) is 0.001 to 86400 seconds")
            }
            return number
        }
    }
}

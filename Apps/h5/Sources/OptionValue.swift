// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import PackageFormat

/// Parsing of option values that the package libraries validate.
enum OptionValue {
    /// Converts a package error to a command line error.
    static func parse<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PackageError {
            throw ValidationError(error.message)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import PackageFormat

/// Functions that parse option values with the package libraries.
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

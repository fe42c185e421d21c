// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import PackageFormat

/// Values of options that the package libraries check.
enum OptionValue {
    /// Makes a refusal of the library one of the command line.
    static func parse<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PackageError {
            throw ValidationError(error.message)
        }
    }
}

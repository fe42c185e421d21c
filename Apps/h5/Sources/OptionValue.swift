// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
@_spi(Packaging) internal import PackageFormat

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

    /// Returns the package identifier of a value on the command line.
    static func packageID(_ text: String) throws -> PackageID { try parse { try PackageID(text) } }

    /// Returns the version of a value on the command line.
    static func packageVersion(_ text: String) throws -> PackageVersion { try parse { try PackageVersion(text) } }

    /// Returns the base URL of a value on the command line. A missing final slash is added.
    static func baseURL(_ text: String) throws -> PackageBaseURL {
        try parse { try PackageBaseURL(text.utf8.last == UInt8(ascii: "/") ? text : text + "/") }
    }

    /// Returns the channel of a value on the command line.
    static func channel(_ text: String) throws -> String {
        guard !text.isEmpty, text.utf8.count <= 64, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ValidationError("a channel is 1 to 64 printable ASCII characters without spaces")
        }
        return text
    }

    /// Returns the minimum version of the app of a value on the command line.
    static func hostVersion(_ text: String) throws -> PackageVersion {
        guard HostVersion(text) != nil else {
            throw ValidationError("an app version is numbers separated by dots, each of at most nine digits")
        }
        return try packageVersion(text)
    }
}

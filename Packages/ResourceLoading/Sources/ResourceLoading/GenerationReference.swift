// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Names one installed generation of a package.
///
/// Generations are numbered by the store in the order of their installation; a number is never reused.
public struct GenerationReference: Sendable, Hashable {
    /// The package's identifier.
    public let package: String
    /// The number that the store gave this generation.
    public let number: Int64

    public init(package: String, number: Int64) {
        self.package = package
        self.number = number
    }
}

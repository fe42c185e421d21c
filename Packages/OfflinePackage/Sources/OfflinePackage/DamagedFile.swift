// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import PackageFormat
public import ResourceLoading

/// A file of a package that the store has lost: its bytes were wrong and were dropped, or are not there. Requests for it
/// go to the next loader until it is fetched again.
public struct DamagedFile: Sendable, Hashable {
    /// The package that has it.
    public var package: PackageID
    /// The package's version.
    public var version: PackageVersion
    /// The generation of the store that names it.
    public var generation: GenerationReference
    /// The file's path in the package; `nil` where the list of the files cannot be read, so that none of them answers.
    public var path: String?
    /// What the store says, in one line for people.
    public var reason: String
}

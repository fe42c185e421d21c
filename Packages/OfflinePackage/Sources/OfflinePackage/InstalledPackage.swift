// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import PackageFormat
public import ResourceLoading

/// A package that answers requests.
public struct InstalledPackage: Sendable, Hashable {
    public let id: PackageID
    public let version: PackageVersion
    /// What its files lie under.
    public let baseURL: PackageBaseURL
    /// Whether its files are all there is under the base URL.
    public let isComplete: Bool
    /// The generation that is active.
    public let generation: GenerationReference
}

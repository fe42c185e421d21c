// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import PackageFormat
public import ResourceLoading

/// Something that happened to a package on its way. Kinds are added over time: keep a default when switching.
public enum PackageEvent: Sendable {
    case updateBegan(PackageSource)
    case downloading(PackageID, PackageVersion, PackageDownloadProgress)
    /// A version is there and waits to be activated.
    case staged(PackageID, PackageVersion, ApplyTiming)
    /// Something else answers under a base URL.
    case scopeChanged(PackageScopeChange)
    /// A version passed its trial.
    case confirmed(PackageID, PackageVersion)
    /// A version failed its trial, and is never tried again.
    case quarantined(PackageID, PackageVersion, reason: String)
    /// Ranges did not lead to the package, so the whole archive is fetched.
    case fellBack(PackageID, PackageVersion, reason: String)
    /// A file of a version that answers was damaged and dropped: the network answers in its place. Told once, and
    /// again after it was repaired or could not be.
    case fileDamaged(DamagedFile)
    /// So many files that a version had lost were fetched again.
    case repaired(PackageID, PackageVersion, files: Int)
    case updateFailed(PackageSource, PackageFailure)
    /// The active version of a package could not be changed at launch or in the background; it stays, and the change
    /// waits for the next time.
    case changeFailed(PackageID, PackageFailure)
}

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

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import PackageFormat
public import ResourceLoading

/// An event of a package update. Kinds are added over time, so a `switch` needs a `default`.
public enum PackageEvent: Sendable {
    /// An update began to fetch the manifest of a source.
    case updateBegan(PackageSource)
    /// A download progressed.
    case downloading(PackageID, PackageVersion, PackageDownloadProgress)
    /// A version is installed and waits for activation.
    case staged(PackageID, PackageVersion, ApplyTiming)
    /// Another generation, or the network, serves a base URL.
    case scopeChanged(PackageScopeChange)
    /// A version passed its trial.
    case confirmed(PackageID, PackageVersion)
    /// A version failed its trial, and is never tried again.
    case quarantined(PackageID, PackageVersion, reason: String)
    /// A download by ranges failed, so the whole archive is downloaded.
    case fellBack(PackageID, PackageVersion, reason: String)
    /// A file of a version in use was damaged and dropped, so the network serves it.
    ///
    /// The event is sent once for each file. After a repair, a file that still cannot be read is reported again.
    case fileDamaged(DamagedFile)
    /// Lost files of a version were fetched again. The associated value is their number.
    case repaired(PackageID, PackageVersion, files: Int)
    /// An update failed.
    case updateFailed(PackageSource, PackageFailure)
    /// The active version of a package could not be changed at launch or in the background. The change is tried again
    /// next time.
    case changeFailed(PackageID, PackageFailure)
    /// Another catalogue is in use. Its packages are updated next.
    case catalogueChanged(PackageCatalogue)
    /// The catalogue could not be fetched or was refused. The former catalogue remains in use.
    case catalogueFailed(PackageFailure)
    /// The catalogue no longer lists a package, which is therefore removed. Open pages use it until they close.
    case withdrawn(PackageID)
    /// An update waits for favorable conditions, for the given reason.
    case waiting(PackageSource, reason: String)
    /// The progress of the automatic updates that run at one time: the number of updates that have finished, the number
    /// that have failed, and the number of all.
    case updating(finished: Int, failed: Int, total: Int)
}

@_spi(Facade) extension PackageEvent {
    /// The name of the event in metrics; `nil` for progress, which is not counted.
    public var metricName: String? {
        switch self {
        case .downloading, .updating: nil
        case .updateBegan: "update_began"
        case .staged: "staged"
        case .scopeChanged: "scope_changed"
        case .confirmed: "proven"
        case .quarantined: "quarantined"
        case .fellBack: "fell_back"
        case .fileDamaged: "file_damaged"
        case .repaired: "mended"
        case .updateFailed: "update_failed"
        case .changeFailed: "change_failed"
        case .catalogueChanged: "catalogue_changed"
        case .catalogueFailed: "catalogue_failed"
        case .withdrawn: "withdrawn"
        case .waiting: "waiting"
        }
    }
}

/// A file of a package that the store has lost, because its bytes were damaged and dropped or are missing.
///
/// Requests for it are passed to the next loader until it is fetched again.
public struct DamagedFile: Sendable, Hashable {
    /// The package that contains the file.
    public var package: PackageID
    /// The package's version.
    public var version: PackageVersion
    /// The generation that contains the file.
    public var generation: GenerationReference
    /// The file's path in the package, or `nil` if the table cannot be read and no file of the package can be served.
    public var path: String?
    /// The error of the store, as one line of text.
    public var reason: String
}

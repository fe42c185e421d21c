// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
public import Foundation
@_spi(Packaging) public import PackageFormat
internal import SystemSupport

/// A catalogue of packages whose releases the publisher has signed, in a repository of The Update Framework.
///
/// Packages are updated to releases whose metadata is verified: signed by enough keys, not expired, and not older than
/// what this device has seen. `docs/pouf.md` specifies the repository.
public struct TrustedCatalogue: PackageCataloguing, SignedManifestSource {
    /// The absolute URL below which the metadata is.
    public let primaryURL: String
    /// The URL of a copy of the metadata, or `nil` if there is none.
    public var mirrorURL: String?
    /// The channel of the device. Default: `production`.
    public var channel = Release.defaultChannel
    /// The source of the current date. Default: the system's clock.
    public var now: @Sendable () -> Date = { Date() }
    /// The text that replaces the random text of the device, for tools that explain releases. Default: `nil`.
    package var seed: String?
    private let repository: ReleaseRepository

    /// Creates a catalogue.
    /// - Parameters:
    ///   - root: the root metadata that comes with the app. The trust begins from it, until the repository replaces it.
    ///   - metadataURL: the absolute URL below which the metadata is.
    ///   - targetsURL: the absolute URL below which manifests and archives are.
    ///   - directory: the path of a folder for the verified metadata, which is created. No other catalogue may use it.
    ///     Use one folder for each repository: the root of a former repository does not replace that of a later one.
    public init(root: Data, metadataURL: String, targetsURL: String, directory: String) {
        primaryURL = metadataURL
        repository = ReleaseRepository(root: root, targetsURL: targetsURL, directory: directory)
    }

    public var signedManifests: (any SignedManifestSource)? { self }

    public func catalogue(at url: String, load: @escaping DocumentLoading) async throws -> PackageCatalogue {
        try await repository.catalogue(of: repository.refresh(at: url, now: now(), load))
    }

    public func manifest(
        of package: PackageID, for versions: DeviceVersions, load: @escaping DocumentLoading
    ) async throws -> SignedManifest? {
        let now = now()
        let releases = try await repository.releases(
            of: package, at: [primaryURL] + [mirrorURL].compactMap(\.self), now: now, load)
        guard let release = try await device(at: now).choose(releases, of: package, for: versions).release else {
            return nil
        }
        return repository.manifest(of: release)
    }

    public func explain(_ package: PackageID, for versions: DeviceVersions) async throws -> ReleaseExplanation {
        try await device(at: now()).choose(repository.knownReleases(of: package), of: package, for: versions)
            .explanation
    }

    private func device(at now: Date) async throws -> ReleaseDevice {
        let seed = if let seed { seed } else { try await repository.seed() }
        return ReleaseDevice(channel: channel, seed: seed, now: now)
    }
}

/// The releases of a repository as of one refresh.
struct ReleaseList: Sendable {
    /// The releases of a package, or the reason for which none of them may be used: a `TrustError`, or the error of a
    /// request.
    typealias Releases = Result<[Release], any Error>

    let packages: [PackageID: Releases]
    /// The version of the snapshot.
    let number: Int64
    /// The time of the refresh.
    let time: Date
    /// A Boolean value that indicates whether no request has failed.
    let isComplete: Bool

    init(_ list: [PackageID: PackageTargets], number: Int64, time: Date) {
        (self.number, self.time) = (number, time)
        isComplete = list.values.allSatisfy { $0.failure == nil || $0.failure is TrustError }
        packages = Dictionary(
            uniqueKeysWithValues: list.map { package, listed in
                (package, Result { try Self.releases(of: package, listed) })
            }.filter { (try? $0.1.get().isEmpty) != true })
    }

    private static func releases(of package: PackageID, _ listed: PackageTargets) throws -> [Release] {
        if let failure = listed.failure { throw failure }
        var releases: [Release] = []
        releases.reserveCapacity(listed.targets.count)
        for (target, scope) in listed.targets {
            if let release = try Release(target, of: package, below: scope) { releases.append(release) }
        }
        return releases
    }

    /// Returns the releases of a package; none if the repository does not list it.
    /// - Throws: ``TrustError`` if its metadata is refused; the error of a request.
    func releases(of package: PackageID) throws -> [Release] { try packages[package]?.get() ?? [] }
}

/// The state of a ``TrustedCatalogue``: the releases of the last refresh. Refreshes run one after the other.
actor ReleaseRepository {
    /// The time for which the releases of a refresh are used without another one, in seconds.
    private static let freshness: TimeInterval = 300
    /// The name of the file with the random text of the device. No role has it, because it does not end in `.json`.
    private static let seedName = "device-seed"

    private let root: Data
    private let targetsURL: String
    private let directory: String
    private var current: ReleaseList?
    private var isPrepared = false
    private var knownSeed: String?
    private var last: Task<Void, Never>?

    init(root: Data, targetsURL: String, directory: String) {
        self.root = root
        self.targetsURL = targetsURL.hasSuffix("/") ? targetsURL : targetsURL + "/"
        self.directory = directory
    }

    // MARK: Releases

    /// Returns all packages of a list. Packages whose metadata is refused stay on devices, but get no update.
    nonisolated func catalogue(of list: ReleaseList) throws -> PackageCatalogue {
        let origin = try PackageBaseURL(targetsURL)
        let packages = list.packages.map { package, releases in
            let newest = (try? releases.get())?.max { $0.sequence < $1.sequence }
            // All releases of a package with one URL keep its source. The updater verifies the scope of the release.
            return PackageCatalogue.Entry(
                package: package, manifestURL: "\(targetsURL)\(package).json", scope: newest?.scope ?? origin)
        }
        return try PackageCatalogue(sequence: list.number, packages: packages.sorted { $0.package < $1.package })
    }

    /// Returns the releases of a package, after a refresh unless the last one is recent.
    /// - Parameter urls: the URLs of the metadata, which are tried in order.
    func releases(
        of package: PackageID, at urls: [String], now: Date, _ load: @escaping DocumentLoading
    ) async throws -> [Release] {
        var failure: (any Error)?
        for url in urls {
            do {
                return try await refresh(at: url, now: now, maxAge: Self.freshness, load).releases(of: package)
            } catch let error as CancellationError {
                throw error
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? TrustError(.notFound, "no URL of the metadata")
    }

    /// Returns the releases of a package as of the last refresh in this process.
    func knownReleases(of package: PackageID) throws -> [Release] {
        guard let current else { throw TrustError(.notFound, "no metadata was verified yet", at: directory) }
        return try current.releases(of: package)
    }

    /// Returns the location, the length and the digest of the manifest of a release.
    nonisolated func manifest(of release: Release) -> SignedManifest {
        SignedManifest(
            url: targetsURL + release.target.location, byteCount: release.target.length, sha256: release.sha256,
            version: release.version, scope: release.scope)
    }

    /// Refreshes the metadata after the refreshes in progress. A cancelled call returns at once.
    /// - Parameter maxAge: the age in seconds up to which the list of an earlier refresh is returned instead.
    func refresh(
        at url: String, now: Date, maxAge: TimeInterval = 0, _ load: @escaping DocumentLoading
    ) async throws -> ReleaseList {
        let task = Task { [last] in
            await last?.value
            try Task.checkCancellation()
            if let current, current.isComplete, (0..<maxAge).contains(now.timeIntervalSince(current.time)) {
                return current
            }
            try prepare()
            let repository = TrustedRepository(folder: directory, metadataURL: url, recordsRoots: true) { url, limit in
                do {
                    return try await load(url, limit)
                } catch let error as PackageError where error.code == .tooLarge {
                    throw TrustError(.tooLarge, error.message, at: url, cause: error)
                }
            }
            let targets = try await repository.refresh(now: now)
            let list = try await ReleaseList(targets.list(), number: targets.number, time: now)
            current = list
            return list
        }
        let (results, result) = AsyncThrowingStream.makeStream(of: ReleaseList.self)
        last = Task {
            do {
                result.yield(try await task.value)
                result.finish()
            } catch {
                result.finish(throwing: error)
            }
        }
        return try await withTaskCancellationHandler {
            // The stream ends at a cancellation, even if another refresh is in progress.
            for try await list in results { return list }
            throw CancellationError()
        } onCancel: {
            task.cancel()
        }
    }

    // MARK: The folder

    private func prepare() throws {
        guard !isPrepared else { return }
        do throws(SystemError) { try FileSystem.makeDirectory(directory) } catch { throw TrustError(error) }
        try TrustedRepository.beginTrust(in: root, folder: directory)
        isPrepared = true
    }

    /// Returns the random text of the device, which is created once.
    func seed() throws -> String {
        if let knownSeed { return knownSeed }
        try prepare()
        let folder = try MetadataFolder(directory)
        let seed: String
        if let stored = try folder.readFile(Self.seedName, maxBytes: 64) {
            seed = String(decoding: stored, as: UTF8.self)
        } else {
            seed = RandomToken.hex(byteCount: 16)
            try folder.writeFile(Self.seedName, Data(seed.utf8))
        }
        knownSeed = seed
        return seed
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
internal import Foundation
internal import PackageFormat
internal import ResourceLoading

// Background downloads. An update that waits for one is in no queue and has no draft, so that other work on its package
// does not wait for it. Afterwards it begins again with the same manifest.
extension PackageUpdater {
    /// The use of background downloads by a fetch.
    enum BackgroundUse {
        /// The update waits for a background download of the whole archive.
        case wait
        /// The update takes the file of a background download, if it is complete.
        case take
    }

    /// The error of a fetch that must wait for a background download.
    struct BackgroundDownloadRequired: Error {
        let task: BackgroundDownload
    }

    /// An update that waits for a background download.
    struct BackgroundWait: Sendable {
        let package: String
        let manifestURL: String
        let fetched: FetchedManifest
        let task: Task<Void, any Error>
    }

    /// The result of the first part of an update.
    private enum FirstPart {
        case complete(PackageUpdate)
        case waits(BackgroundWait)
    }

    /// Updates a package like ``update(from:timing:urgency:)``.
    /// - Parameter waitDidBegin: a closure that is called if the update begins to wait for a background download, which
    ///   may take days. The update continues when the closure returns.
    @discardableResult
    @_spi(Facade) public func update(
        from source: PackageSource, timing: ApplyTiming, urgency: UpdateUrgency,
        waitDidBegin: @Sendable () async -> Void
    ) async throws -> PackageUpdate {
        if let reason = urgency.obstacle(in: configuration.conditions.conditions) {
            throw DeliveryError(.notNow, reason, at: source.manifestURL)
        }
        let isConvenient = urgency == .whenConvenient
        if isConvenient { try checkNoWait { $0.manifestURL == source.manifestURL } }
        return try await BackgroundTransfer.$isCurrent.withValue(isConvenient) {
            try await update(from: source, timing, isConvenient: isConvenient, waitDidBegin)
        }
    }

    private func update(
        from source: PackageSource, _ timing: ApplyTiming, isConvenient: Bool,
        _ waitDidBegin: @Sendable () async -> Void
    ) async throws -> PackageUpdate {
        let installCounts = hostInstallCounts
        let use: BackgroundUse = isConvenient && configuration.downloads.background != nil ? .wait : .take
        let part: FirstPart = try await sources.run(source.manifestURL) {
            hub.send(.updateBegan(source))
            return try await reportingFailure(of: source) { target in
                if !library.configuration.allowsInsecure { try SecureURL.check(source.manifestURL) }
                guard let fetched = try await releasedManifest(of: source, skipsActive: true) else {
                    return .complete(try await keepActive(of: source))
                }
                let manifest = fetched.manifest
                target = manifest
                _ = try await library.authorise(manifest, fetched.digest, from: fetched.source)
                try check(manifest, at: source.manifestURL)
                return try await fetches.run(manifest.id.description) { () async throws -> FirstPart in
                    if isConvenient { try checkNoWait { $0.package == manifest.id.description } }
                    do {
                        return .complete(try await update(to: fetched, timing, use, since: installCounts))
                    } catch let error as BackgroundDownloadRequired {
                        try checkNotOvertaken(manifest, from: source, since: installCounts)
                        return .waits(try beginWait(for: error.task, fetched))
                    }
                }
            }
        }
        switch part {
        case .complete(let update): return update
        case .waits(let wait):
            defer { removeEntry(of: wait) }
            await waitDidBegin()
            return try await reportingFailure(of: source, wait.fetched.manifest) { _ in
                try await finish(wait)
                try await checkStillReleased(wait.fetched, from: source)
                return try await fetches.run(wait.package) {
                    try check(wait)
                    return try await update(to: wait.fetched, timing, .take, since: installCounts)
                }
            }
        }
    }

    /// Returns the result of an update without a new release: the active version stays, and a staged one is discarded.
    /// - Throws: ``DeliveryError`` with code `noRelease` if the device has no version of the package; `StoreError`.
    private func keepActive(of source: PackageSource) async throws -> PackageUpdate {
        // A signed manifest needs the package of the source.
        guard let id = source.package else { throw DeliveryError(.noRelease, "no release", at: source.manifestURL) }
        await cancelBackgroundDownloads(of: id)
        return try await packages.run(id.description) {
            try await discardStaged(of: id)
            guard let active = library.activeGeneration(of: id)?.package else {
                throw DeliveryError(.noRelease, "no release of \(id) is for this device", at: source.manifestURL)
            }
            return PackageUpdate(
                outcome: .unchanged, package: active, transfer: .nothing, traffic: DeliveryTraffic())
        }
    }

    /// Checks that the publisher has not stopped or replaced a signed release during a wait, which may take days.
    /// - Throws: ``DeliveryError`` with code `overtaken`, and the errors of ``signedManifest(of:)``.
    private func checkStillReleased(_ fetched: FetchedManifest, from source: PackageSource) async throws {
        guard configuration.signedManifests != nil else { return }
        let current = try await signedManifest(of: source)
        guard current?.sha256 == fetched.digest else {
            throw DeliveryError(
                .overtaken, "the device gets another release since the download began", at: source.manifestURL)
        }
    }

    /// Runs a part of an update, and sends an event if it fails.
    /// - Parameters:
    ///   - manifest: the manifest of the update, or `nil` if `body` reads it.
    ///   - body: a closure that sets its argument to the manifest.
    private func reportingFailure<Value: Sendable>(
        of source: PackageSource, _ manifest: PackageManifest? = nil,
        _ body: (_ target: inout PackageManifest?) async throws -> Value
    ) async throws -> Value {
        var target = manifest
        do {
            return try await body(&target)
        } catch {
            var failure = PackageFailure(error)
            (failure.package, failure.version) = (target?.id, target?.version)
            hub.send(.updateFailed(source, failure))
            throw error
        }
    }

    // MARK: Waits

    /// Checks that no update waits for a background download.
    /// - Throws: ``DeliveryError`` with code `notNow`.
    func checkNoWait(where matches: (BackgroundWait) -> Bool) throws {
        guard let wait = backgroundWaits.values.first(where: matches) else { return }
        throw DeliveryError(
            .notNow, "an update of \(wait.package) waits for its background download", at: wait.manifestURL)
    }

    /// Starts or joins a background download. Call ``finish(_:)`` afterwards, without a place in a queue.
    /// - Throws: `CancellationError` after ``shutDown()``.
    private func beginWait(for task: BackgroundDownload, _ fetched: FetchedManifest) throws -> BackgroundWait {
        guard !isShutDown, let background = configuration.downloads.background else { throw CancellationError() }
        let wait = BackgroundWait(
            package: fetched.manifest.id.description, manifestURL: fetched.source.manifestURL, fetched: fetched,
            task: Task { try await background.download(task) })
        backgroundWaits[wait.package] = wait
        return wait
    }

    /// Waits until a background download has ended or failed. After a failure, the network loader is used.
    /// - Throws: `CancellationError`, and the background download continues, or the error of ``check(_:)``.
    private func finish(_ wait: BackgroundWait) async throws {
        _ = await withTaskCancellationHandler {
            await wait.task.result
        } onCancel: {
            wait.task.cancel()
        }
        try Task.checkCancellation()
        if isShutDown { throw CancellationError() }
        try check(wait)
    }

    /// Checks that no other work has ended a wait.
    /// - Throws: ``DeliveryError`` with code `overtaken`.
    private func check(_ wait: BackgroundWait) throws {
        guard backgroundWaits[wait.package]?.task == wait.task else {
            throw DeliveryError(
                .overtaken, "an urgent update began, or the host installed or removed \(wait.package)",
                at: wait.manifestURL)
        }
    }

    private func removeEntry(of wait: BackgroundWait) {
        if backgroundWaits[wait.package]?.task == wait.task { backgroundWaits[wait.package] = nil }
    }

    /// Ends the background downloads of a package, including those of earlier processes, and the update that waits.
    func cancelBackgroundDownloads(of id: PackageID) async {
        backgroundWaits.removeValue(forKey: id.description)?.task.cancel()
        await configuration.downloads.background?.cancel(BackgroundDownload.prefix(of: id))
    }
}

extension PackageDownloader {
    /// Moves the complete file of a background download, unless bytes of the archive are on disk.
    /// - Returns: the traffic of the background download, if its file was moved.
    /// - Throws: ``DeliveryError`` or `CancellationError`.
    func take(_ task: BackgroundDownload, of download: PackageDownload) async throws -> DeliveryTraffic {
        let key = DownloadFolder.key(of: download.url)
        return try await queue.run(key) {
            try await executor.withPreference { [self] in
                var traffic = DeliveryTraffic()
                guard let background = configuration.background, folder.partialBytes(of: key) == 0 else {
                    return traffic
                }
                try folder.make()
                // With the record, the bytes are used after a kill too.
                let record = DownloadRecord(
                    url: download.url, validator: nil, total: download.size, sha256: download.sha256)
                try folder.write(record, of: key)
                let path = folder.partial(of: key)
                do {
                    guard try await background.takeFile(of: task, to: path) else {
                        folder.removeRecord(of: key)
                        return traffic
                    }
                } catch let error as ResourceError {
                    throw DeliveryError(.io, "the downloaded archive cannot be moved", at: path, cause: error)
                }
                traffic.requests = 1
                traffic.bytes = folder.partialBytes(of: key)
                return traffic
            }
        }
    }
}

extension BackgroundDownload {
    /// Creates the background download of an archive, or returns `nil` if its size or digest is not declared.
    init?(_ download: PackageDownload, of id: PackageID) {
        guard let size = download.size, download.sha256 != nil else { return nil }
        let key = Self.prefix(of: id) + DownloadFolder.key(of: download.url).prefix(32)
        self.init(key: key, url: download.url, sizeLimit: size)
    }

    /// Returns the start of the keys of a package's archives, by which later processes find its downloads.
    static func prefix(of id: PackageID) -> String {
        String(SHA256Digest(of: Data(id.description.utf8)).hex.prefix(32))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
package import Logging
package import OfflinePackage
package import PackageFormat
package import ResourceLoading
@_spi(Facade) internal import ResourceStore
package import WebEngine

/// The state that an ``EngineCacheInvalidator`` reads from its container, and the receiver of its results.
///
/// Isolation: the main actor.
@MainActor
package protocol EngineCacheHost {
    /// A Boolean value that indicates whether packages serve requests.
    var arePackagesInUse: Bool { get }

    /// Returns the URL in the engine for a URL of a package; `nil` if it is currently unknown.
    func engineURL(of url: String) -> String?

    /// Reports the base URLs whose files the engine has removed from its caches.
    func engineDidRemoveFiles(under urls: [PackageBaseURL])

    /// Reports the base URLs whose files the engine could not remove from its caches, and the error.
    func engineDidFailToRemoveFiles(under urls: [PackageBaseURL], because error: EngineError)
}

/// The invalidator of package files in the engine's own caches. It removes outdated files when the active generation of
/// a package changes or the package is removed.
///
/// Files are removed while no page is open, at the latest before the first page loads. The manifest of the files that
/// the engine may have cached is written before a page can load any of them. If the process ends first, the files are
/// removed in the next launch.
///
/// Isolation: the main actor, to which engines are isolated.
@MainActor
package final class EngineCacheInvalidator {
    private weak var engine: (any WebEngineDriver)?
    private let host: any EngineCacheHost
    private let library: PackageLibrary
    private let directory: String
    /// The maximum time that a page load waits for a removal.
    private let limit: Duration
    private let logger: Logger
    /// A Boolean value that indicates whether the container uses a proxy, so that pages of plain mode also load
    /// package files.
    private let isByProxy: Bool
    /// The open pages of other modes. The engine caches none of their files.
    private var others: Set<PageID> = []
    private var held: EngineCacheManifest
    /// A Boolean value that indicates whether the last removal failed. It is then retried even while pages are open.
    private var hasFailed = false
    private var failures = 0
    /// The open pages that packages serve.
    private var pages: Set<PageID> = []
    /// The last time at which the engine may have received a response that it caches: the end of a package response, or
    /// the close of a page.
    private var lastGiven: ContinuousClock.Instant?
    private var clearing: Task<Void, Never>?
    private var isOver = false

    private static let documentName = "engine-caches.json"

    /// Creates an invalidator and reads the manifest that the last process stored.
    /// - Parameters:
    ///   - engine: the engine with the caches; not retained.
    ///   - library: the package library.
    ///   - directory: the folder of the stored manifest.
    ///   - limit: the maximum time that a page load waits for the engine.
    ///   - isByProxy: a Boolean value that indicates whether files reach the engine through a proxy, at their real
    ///     URLs.
    ///   - logger: the log of failures.
    ///   - host: the state of the container, and the receiver of results; retained.
    package init(
        _ engine: any WebEngineDriver, _ library: PackageLibrary, directory: String, limit: Duration, isByProxy: Bool,
        logger: Logger, host: any EngineCacheHost
    ) {
        self.engine = engine
        self.library = library
        self.directory = directory
        self.limit = limit
        self.isByProxy = isByProxy
        self.logger = logger
        self.host = host
        // If the manifest is missing or damaged, the contents of the caches are unknown. Each package is then cleared
        // once.
        held =
            (try? PrivateFolder.open(directory)?.contents(of: Self.documentName, upTo: 64 << 20))
            .flatMap { try? JSONDecoder().decode(EngineCacheManifest.self, from: $0) } ?? EngineCacheManifest()
    }

    // MARK: Changes in the container

    /// Removes files that are outdated since an earlier process. Call it once, at the start.
    package func start() {
        clearSoon()
    }

    /// Records that a page was opened.
    package func pageDidOpen(_ session: PageSession) {
        if concerns(session) {
            pages.insert(session.id)
        } else if session.mode != .plain {
            others.insert(session.id)
        }
    }

    /// Records that a page was closed, and removes outdated files if no other page is open.
    package func pageDidClose(_ page: PageID) {
        others.remove(page)
        guard pages.remove(page) != nil else { return }
        // The engine may later store a response that was still in transit.
        lastGiven = .now
        clearSoon()
    }

    /// Records that rules or feature switches changed. The engine may then have cached responses of the server for URLs
    /// of packages.
    package func contentDidChange() {
        held.mix(with: EngineCacheManifest())
        save()
        clearSoon()
    }

    /// Records that the active generations or the set of packages changed.
    package func packagesDidChange() {
        clearSoon()
    }

    /// Records the time of a response from a package if the engine may cache it.
    package func requestDidEnd(_ record: RequestRecord) {
        guard record.provenance?.generation != nil, !(record.page.map(others.contains) ?? false) else { return }
        lastGiven = record.ended
    }

    /// Records that a page of another mode loads package files in this mode from now on.
    package func join(_ page: PageID) {
        others.remove(page)
        pages.insert(page)
    }

    private func concerns(_ session: PageSession) -> Bool {
        pages.contains(session.id) || (isByProxy ? session.mode != .customScheme : session.mode != .plain)
    }

    // MARK: Removal

    /// Removes files of older generations from the engine before a page loads, as far as possible within the limit.
    ///
    /// Open pages still use their files. Therefore nothing is removed until all of them are closed, unless an earlier
    /// removal failed.
    /// - Parameter session: the session of the page that is about to load.
    package func invalidateStaleFiles(for session: PageSession) async {
        guard concerns(session) else { return }
        let deadline = ContinuousClock.now + limit
        let failuresBefore = failures
        while let clearing { guard await clearing.value(within: deadline - .now) != nil else { break } }
        guard let manifest = currentManifest({ $0.packages(of: session.id) }) else { return }
        if clearing == nil, failures == failuresBefore, pages.subtracting([session.id]).isEmpty || hasFailed,
            let task = clear(for: manifest)
        {
            _ = await task.value(within: deadline - .now)
        }
        guard !held.stale(for: manifest).isEmpty else { return }
        held.mix(with: manifest)
        save()
    }

    /// Cancels a removal in progress and waits for its end.
    package func shutDown() async {
        isOver = true
        clearing?.cancel()
        await clearing?.value
    }

    /// Returns the manifest of the installed packages; `nil` if their URLs in the engine are unknown.
    private func currentManifest(_ packages: (PackageLibrary) -> [InstalledPackage]) -> EngineCacheManifest? {
        EngineCacheManifest(host.arePackagesInUse ? packages(library) : []) { host.engineURL(of: $0) }
    }

    /// Removes outdated files if no page is open.
    private func clearSoon() {
        guard pages.isEmpty, clearing == nil, let manifest = currentManifest({ $0.installed }) else { return }
        _ = clear(for: manifest)
    }

    /// Starts the removal of files that `manifest` does not contain; returns `nil` if there are none.
    private func clear(for manifest: EngineCacheManifest) -> Task<Void, Never>? {
        let stale = held.stale(for: manifest)
        guard !stale.isEmpty, !isOver, let engine else { return nil }
        let roots = Set((Array(held.entries.values) + manifest.entries.values).map(\.root)).sorted()
        // The removal may continue after the page load stops waiting.
        let (lastGiven, limit) = (lastGiven, limit * 5)
        let task = Task { [weak self] in
            let outcome: Result<Void, any Error>
            do {
                try await withLimit(limit, "the engine did not remove files in time") {
                    try await engine.caching.removeFiles(under: stale.map(\.place), at: roots, lastGiven: lastGiven)
                }
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            self?.record(outcome, stale, manifest)
        }
        clearing = task
        return task
    }

    private func record(
        _ outcome: Result<Void, any Error>, _ stale: [EngineCacheManifest.Entry], _ manifest: EngineCacheManifest
    ) {
        clearing = nil
        let urls = Set(stale.map(\.baseURL)).sorted { $0.description < $1.description }
        let places = stale.map(\.place).joined(separator: " ")
        switch outcome {
        case .success:
            hasFailed = false
            held = manifest
            save()
            logger.debug("the engine removed files", metadata: ["urls": "\(places)"])
            host.engineDidRemoveFiles(under: urls)
            // Other generations may be active by now.
            clearSoon()
        case .failure(is CancellationError): break
        case .failure(let error):
            hasFailed = true
            failures += 1
            held.mix(with: manifest)
            save()
            let error = error as? EngineError ?? EngineError(.storage, "\(error)")
            logger.warning("the engine could not remove files", metadata: ["urls": "\(places)", "error": "\(error)"])
            host.engineDidFailToRemoveFiles(under: urls, because: error)
        }
    }

    private func save() {
        do {
            try PrivateFolder.open(directory)?.replace(Self.documentName, with: JSONEncoder().encode(held))
        } catch {
            // The next change writes the manifest again. An entry is missing only if the process ends before that.
            logger.warning("cannot write the manifest of the engine's caches", metadata: ["error": "\(error)"])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
package import Logging
package import OfflinePackage
package import PackageFormat
package import ResourceLoading
internal import ResourceStore
package import WebEngine

/// The state that an ``EngineCacheInvalidator`` reads from its container, and the receiver of its results.
///
/// Isolation: the main actor.
@MainActor
package protocol EngineCacheHost: AnyObject {
    /// A Boolean value that indicates whether packages answer requests.
    var arePackagesInUse: Bool { get }

    /// Returns the URL in the engine for a URL of a package; `nil` if it is not known now.
    func engineURL(of url: String) -> String?

    /// Receives the base URLs whose files the engine has forgotten.
    func engineDidForgetFiles(under urls: [PackageBaseURL])

    /// Receives the base URLs whose files the engine could not forget, and the reason.
    func engineDidKeepFiles(under urls: [PackageBaseURL], because error: EngineError)
}

/// Removes files of a package from an engine's own caches when another generation of the package answers, or none: while
/// no page is open, and at the latest before the first page loads.
///
/// The manifest of the files that the engine may hold is written before a page can load one of them, so that the files
/// are removed in the next launch if the process ends before.
///
/// Isolation: the main actor, where engines live.
@MainActor
package final class EngineCacheInvalidator {
    private weak var engine: (any WebEngineDriver)?
    private let host: any EngineCacheHost
    private let library: PackageLibrary
    private let directory: String
    /// The maximum time that a page waits.
    private let limit: Duration
    private let logger: Logger
    /// A Boolean value that indicates whether files reach the engine by a proxy, so that pages of plain mode load files of
    /// packages, too.
    private let isByProxy: Bool
    /// Pages of another mode, from which the engine keeps nothing.
    private var others: Set<PageID> = []
    private var held: EngineCacheManifest
    /// A Boolean value that indicates whether the last removal failed. It is then tried again also while pages are open.
    private var hasFailed = false
    private var failures = 0
    /// The open pages that packages answer.
    private var pages: Set<PageID> = []
    /// The time of the last response to the engine, of packages or servers: a package may cover the URL of the latter by
    /// now.
    private var lastGiven: ContinuousClock.Instant?
    private var clearing: Task<Void, Never>?
    private var isOver = false

    private static let documentName = "engine-caches.json"

    /// Reads the manifest that the last process stored.
    /// - Parameters:
    ///   - engine: the engine with the caches; not retained.
    ///   - library: the packages that answer.
    ///   - directory: the folder of the stored manifest.
    ///   - limit: the maximum time that a page waits for the engine.
    ///   - isByProxy: whether files reach the engine by a proxy, at their real URLs.
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
        // If it is missing or damaged the contents of the caches are not known: then each package is cleared once.
        held =
            (try? PrivateFolder.open(directory)?.contents(of: Self.documentName, upTo: 64 << 20))
            .flatMap { try? JSONDecoder().decode(EngineCacheManifest.self, from: $0) } ?? EngineCacheManifest()
    }

    // MARK: Changes in the container

    /// Removes files that are stale since an earlier process. Call it once, at the start.
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

    /// Records that a page was closed, and removes stale files if no other page is open.
    package func pageDidClose(_ page: PageID) {
        others.remove(page)
        guard pages.remove(page) != nil else { return }
        // The engine may store a response that was on its way to the page later.
        lastGiven = .now
        clearSoon()
    }

    /// Records that rules or switches changed: under the packages' URLs the server may have answered before the change,
    /// or may answer after it.
    package func contentDidChange() {
        held.mix(with: EngineCacheManifest())
        save()
        clearSoon()
    }

    /// Records that other generations answer, or other packages.
    package func packagesDidChange() {
        clearSoon()
    }

    /// Records the time of a response from a package that the engine may keep.
    package func requestDidEnd(_ record: RequestRecord) {
        guard record.provenance?.generation != nil, !(record.page.map(others.contains) ?? false) else { return }
        lastGiven = record.ended
    }

    /// Records that a page of another mode loads files of packages by this one from now on.
    package func join(_ page: PageID) {
        others.remove(page)
        pages.insert(page)
    }

    private func concerns(_ session: PageSession) -> Bool {
        pages.contains(session.id) || (isByProxy ? session.mode != .customScheme : session.mode != .plain)
    }

    // MARK: Removal

    /// Removes files of older generations from the engine before a page loads, as far as that is possible within the
    /// limit.
    ///
    /// Pages that are open keep the files they have: then nothing is removed until all of them are closed, unless an
    /// earlier removal failed.
    /// - Parameter session: the page that is about to load.
    package func invalidateStaleFiles(for session: PageSession) async {
        guard concerns(session) else { return }
        let deadline = ContinuousClock.now + limit
        let failuresBefore = failures
        while let clearing { guard await clearing.value(within: deadline - .now) != nil else { break } }
        guard let wanted = wanted({ $0.packages(of: session.id) }) else { return }
        if clearing == nil, failures == failuresBefore, pages.subtracting([session.id]).isEmpty || hasFailed,
            let task = clear(for: wanted)
        {
            _ = await task.value(within: deadline - .now)
        }
        guard !held.stale(for: wanted).isEmpty else { return }
        held.mix(with: wanted)
        save()
    }

    /// Clears the engine's HTTP cache, for all sites.
    package func clear() async {
        guard let engine else { return }
        do {
            try await engine.caching.clearHTTPCache()
        } catch {
            logger.warning("cannot clear the engine's HTTP cache", metadata: ["error": "\(error)"])
        }
    }

    /// Cancels a removal that is under way and waits for it.
    package func shutDown() async {
        isOver = true
        clearing?.cancel()
        await clearing?.value
    }

    /// Returns the manifest of the packages that may answer; `nil` if their URLs in the engine are not known.
    private func wanted(_ packages: (PackageLibrary) -> [InstalledPackage]) -> EngineCacheManifest? {
        EngineCacheManifest(host.arePackagesInUse ? packages(library) : []) { host.engineURL(of: $0) }
    }

    /// Removes stale files if no page is open.
    private func clearSoon() {
        guard pages.isEmpty, clearing == nil, let wanted = wanted({ $0.installed }) else { return }
        _ = clear(for: wanted)
    }

    /// Starts the removal of files that are not wanted; `nil` if there are none.
    private func clear(for wanted: EngineCacheManifest) -> Task<Void, Never>? {
        let stale = held.stale(for: wanted)
        guard !stale.isEmpty, !isOver, let engine else { return nil }
        let roots = Set((Array(held.entries.values) + wanted.entries.values).map(\.root)).sorted()
        // It may continue after the page stops waiting.
        let (lastGiven, limit) = (lastGiven, limit * 5)
        let task = Task { [weak self] in
            let outcome: Result<Void, any Error>
            do {
                try await withLimit(limit, "the engine does not forget files in time") {
                    try await engine.caching.forgetFiles(under: stale.map(\.place), at: roots, lastGiven: lastGiven)
                }
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            self?.record(outcome, stale, wanted)
        }
        clearing = task
        return task
    }

    private func record(
        _ outcome: Result<Void, any Error>, _ stale: [EngineCacheManifest.Entry], _ wanted: EngineCacheManifest
    ) {
        clearing = nil
        let urls = Set(stale.map(\.baseURL)).sorted { $0.description < $1.description }
        let places = stale.map(\.place).joined(separator: " ")
        switch outcome {
        case .success:
            hasFailed = false
            held = wanted
            save()
            logger.debug("the engine forgot files", metadata: ["urls": "\(places)"])
            host.engineDidForgetFiles(under: urls)
            // Other generations may answer by now.
            clearSoon()
        case .failure(is CancellationError): break
        case .failure(let error):
            hasFailed = true
            failures += 1
            held.mix(with: wanted)
            save()
            let error = error as? EngineError ?? EngineError(.storage, "\(error)")
            logger.warning("the engine keeps files", metadata: ["urls": "\(places)", "error": "\(error)"])
            host.engineDidKeepFiles(under: urls, because: error)
        }
    }

    private func save() {
        do {
            try PrivateFolder.open(directory)?.replace(Self.documentName, with: JSONEncoder().encode(held))
        } catch {
            // The next change writes it again. An entry is missing only if the process ends before that.
            logger.warning("cannot write what the engine holds", metadata: ["error": "\(error)"])
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import Logging
internal import OfflinePackage
internal import PackageFormat
internal import ResourceLoading
internal import ResourceStore
internal import WebEngine

/// Has an engine that keeps files itself forget those of a package when another generation of it answers, or none: while
/// no page is open, and at the latest before the first one loads.
///
/// What the engine may hold is written down before a page can give it something, so that a process that ends in between
/// leaves nothing behind.
///
/// Isolation: the main actor, where engines live.
@MainActor
final class EngineCacheInvalidator<Engine: WebEngineDriver> {
    private weak var engine: Engine?
    private let library: PackageLibrary
    private let directory: String
    /// How long a page waits.
    private let limit: Duration
    private let logger: Logger
    /// Whether packages answer at all.
    private let isUsed: @MainActor () -> Bool
    /// Where a URL lies in the engine; `nil` where that is not known now.
    private let place: @MainActor (String) -> String?
    /// Whether it is a proxy by which files come, so that pages of plain mode come to packages, too.
    private let isByProxy: Bool
    /// Pages of another mode, from which the engine keeps nothing.
    private var others: Set<PageID> = []
    private var held: EngineCacheManifest
    /// Whether the engine failed to forget something, which pages that are open do not keep from being tried again.
    private var hasFailed = false
    private var failures = 0
    /// Those that packages answer.
    private var pages: Set<PageID> = []
    /// When the engine was last given an answer: a package may cover by now what came from a server.
    private var lastGiven: ContinuousClock.Instant?
    private var clearing: Task<Void, Never>?
    private var isOver = false
    private weak var hub: EventHub?

    init(
        _ engine: Engine, _ library: PackageLibrary, _ configuration: Container<Engine>.Configuration,
        isByProxy: Bool, isUsed: @escaping @MainActor () -> Bool, place: @escaping @MainActor (String) -> String?
    ) {
        self.engine = engine
        self.library = library
        self.isUsed = isUsed
        self.place = place
        directory = configuration.directory
        self.isByProxy = isByProxy
        limit = configuration.engineCacheLimit
        logger = configuration.logger
        // One that is missing or damaged says nothing of what is held: then each package is looked at once.
        held =
            (try? PrivateFolder.open(directory)?.contents(of: "engine-caches.json", upTo: 64 << 20))
            .flatMap { try? JSONDecoder().decode(EngineCacheManifest.self, from: $0) } ?? EngineCacheManifest()
    }

    /// Hears what happens from now on, and begins with what has changed before.
    func listen(to hub: EventHub) {
        self.hub = hub
        hub.observePermanently { [weak self] in self?.receive($0) }
        clearSoon()
    }

    private func receive(_ event: ContainerEvent) {
        switch event {
        case .pageOpened(let session) where concerns(session): pages.insert(session.id)
        case .pageOpened(let session) where session.mode != .plain: others.insert(session.id)
        case .pageClosed(let page):
            others.remove(page)
            guard pages.remove(page) != nil else { return }
            // What was on its way to it may be written down later.
            lastGiven = .now
            clearSoon()
        case .rulesChanged, .interceptionSwitched, .remoteConfigChanged:
            // Under the packages' URLs the server may have answered before these changed, or does from now on.
            held.mix(with: EngineCacheManifest())
            save()
            clearSoon()
        case .package(.scopeChanged), .packageInstalled: clearSoon()
        case .request(let record)
        where record.provenance?.generation != nil && !(record.page.map(others.contains) ?? false):
            lastGiven = record.ended
        default: break
        }
    }

    private func concerns(_ session: PageSession) -> Bool {
        pages.contains(session.id) || (isByProxy ? session.mode != .customScheme : session.mode != .plain)
    }

    /// A page of another mode comes to packages by this one now.
    func join(_ page: PageID) {
        others.remove(page)
        pages.insert(page)
    }

    /// Sees to it that a page that is about to load gets no file of an older generation from the engine, as far as that
    /// is possible within the limit. A page that is open keeps what it has: then the engine is left alone until no page
    /// is, unless it failed to forget something before.
    func invalidateStaleFiles(for session: PageSession) async {
        guard concerns(session) else { return }
        let deadline = ContinuousClock.now + limit
        let failuresBefore = failures
        while let clearing { guard await clearing.value(within: deadline - .now) != nil else { break } }
        guard let wanted = wanted(isUsed() ? library.packages(of: session.id) : []) else { return }
        if clearing == nil, failures == failuresBefore, pages.subtracting([session.id]).isEmpty || hasFailed,
            let task = clear(for: wanted)
        {
            _ = await task.value(within: deadline - .now)
        }
        guard !held.stale(for: wanted).isEmpty else { return }
        held.mix(with: wanted)
        save()
    }

    private func wanted(_ packages: [InstalledPackage]) -> EngineCacheManifest? {
        EngineCacheManifest(packages, place: place)
    }

    /// Clears the engine's HTTP cache, for all sites.
    func clear() async {
        guard let engine else { return }
        do {
            try await engine.caching.clearHTTPCache()
        } catch {
            logger.warning("cannot clear the engine's HTTP cache", metadata: ["error": "\(error)"])
        }
    }

    /// Waits for what goes on by itself, which ends.
    func shutDown() async {
        isOver = true
        clearing?.cancel()
        await clearing?.value
    }

    /// Where no page is open nobody waits for it.
    private func clearSoon() {
        guard pages.isEmpty, clearing == nil, let wanted = wanted(isUsed() ? library.installed : []) else { return }
        _ = clear(for: wanted)
    }

    /// Begins to have the engine forget what is not wanted; `nil` where there is nothing.
    private func clear(for wanted: EngineCacheManifest) -> Task<Void, Never>? {
        let stale = held.stale(for: wanted)
        guard !stale.isEmpty, !isOver, let engine else { return nil }
        let roots = Set((Array(held.entries.values) + wanted.entries.values).map(\.root)).sorted()
        // It may go on when a page waits no longer.
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
            hub?.send(.engineCachesCleared(urls))
            // Something else may answer by now.
            clearSoon()
        case .failure(is CancellationError): break
        case .failure(let error):
            hasFailed = true
            failures += 1
            held.mix(with: wanted)
            save()
            let error = error as? EngineError ?? EngineError(.storage, "\(error)")
            logger.warning("the engine keeps files", metadata: ["urls": "\(places)", "error": "\(error)"])
            hub?.send(.engineCachesKept(urls, error))
        }
    }

    private func save() {
        do {
            try PrivateFolder.open(directory)?.replace("engine-caches.json", with: JSONEncoder().encode(held))
        } catch {
            // The next change writes it again. Only a process that ends before leaves something out.
            logger.warning("cannot write what the engine holds", metadata: ["error": "\(error)"])
        }
    }
}

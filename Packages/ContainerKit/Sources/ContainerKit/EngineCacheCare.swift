// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
internal import OfflinePackage
internal import PackageFormat
internal import ResourceLoading

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Has an engine that keeps files itself forget those of a package when another generation of it answers, or none: while
/// no page is open, and at the latest before the first one loads.
///
/// What the engine may hold is written down before a page can give it something, so that a process that ends in between
/// leaves nothing behind.
///
/// Isolation: the main actor, where engines live.
@MainActor
final class EngineCacheCare<Engine: WebEngine> {
    private weak var engine: Engine?
    private let library: PackageLibrary
    private let file: String
    private let limit: Duration
    private let logger: Logger
    /// Whether packages answer at all.
    private let isUsed: @MainActor () -> Bool
    /// Where a URL lies in the engine; `nil` where that is not known now.
    private let place: @MainActor (String) -> String?
    private var held: HeldFiles
    /// Whether the engine failed to forget something, which pages that are open do not keep from being tried again.
    private var hasFailed = false
    private var pages: Set<PageID> = []
    /// When the engine was last given an answer: a package may cover by now what came from a server.
    private var lastGiven: ContinuousClock.Instant?
    private var clearing: Task<Void, Never>?
    private var isOver = false
    private weak var hub: EventHub?

    init(
        _ engine: Engine, _ library: PackageLibrary, _ configuration: Container<Engine>.Configuration,
        isUsed: @escaping @MainActor () -> Bool, place: @escaping @MainActor (String) -> String?
    ) {
        self.engine = engine
        self.library = library
        self.isUsed = isUsed
        self.place = place
        file = configuration.directory + "/engine-caches.json"
        limit = configuration.engineCacheLimit
        logger = configuration.logger
        // One that is missing or damaged says nothing of what is held: then each package is looked at once.
        held =
            (try? Data(contentsOf: URL(filePath: file))).flatMap { try? JSONDecoder().decode(HeldFiles.self, from: $0) }
            ?? HeldFiles()
    }

    /// Hears what happens from now on, and begins with what has changed before.
    func listen(to hub: EventHub) {
        self.hub = hub
        hub.accompany { [weak self] in self?.hear($0) }
        clearSoon()
    }

    private func hear(_ event: ContainerEvent) {
        switch event {
        case .pageOpened(let session): pages.insert(session.id)
        case .pageClosed(let page):
            pages.remove(page)
            clearSoon()
        case .package(.scopeChanged), .packageInstalled, .rulesChanged, .interceptionSwitched: clearSoon()
        case .request(let record) where record.status != nil: lastGiven = record.ended
        default: break
        }
    }

    /// Sees to it that a page that is about to load gets no file of an older generation from the engine. A page that is
    /// open keeps what it has: then the engine is left alone until no page is.
    func settle(for page: PageID) async {
        while let clearing { await clearing.value }
        let current = isUsed() ? library.packages(of: page) : []
        if pages.subtracting([page]).isEmpty || hasFailed { await clear(for: current)?.value }
        guard !held.stale(for: current).isEmpty else { return }
        held.mix(with: current)
        save()
    }

    /// Clears the engine's HTTP cache, for all sites.
    func clear() async {
        guard let engine else { return }
        do {
            try await engine.clearHTTPCache()
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
        guard pages.isEmpty, clearing == nil else { return }
        _ = clear(for: isUsed() ? library.installed : [])
    }

    /// Begins to have the engine forget what these packages do not answer; `nil` where there is nothing.
    private func clear(for current: [InstalledPackage]) -> Task<Void, Never>? {
        let urls = held.stale(for: current)
        guard !urls.isEmpty, !isOver, let engine else { return nil }
        let origins = Set((held.entries.values.map(\.baseURL) + current.map(\.baseURL)).map(\.origin)).sorted()
        let (lastGiven, limit, place) = (lastGiven, limit, place)
        let task = Task { [weak self] in
            let outcome: Result<Void, any Error>
            do {
                let places = urls.compactMap { place($0.description) }
                guard places.count == urls.count else {
                    throw EngineError(.storage, "the local server does not listen")
                }
                try await withLimit(limit, "the engine does not forget files in time") {
                    try await engine.forgetFiles(
                        under: places, at: origins.compactMap(place), lastGiven: lastGiven)
                }
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            self?.note(outcome, urls, current)
        }
        clearing = task
        return task
    }

    private func note(_ outcome: Result<Void, any Error>, _ urls: [PackageBaseURL], _ current: [InstalledPackage]) {
        clearing = nil
        let places = urls.map(\.description).joined(separator: " ")
        switch outcome {
        case .success:
            hasFailed = false
            held = HeldFiles(current)
            save()
            logger.info("the engine forgot files", metadata: ["urls": "\(places)"])
            hub?.send(.engineCachesCleared(urls))
            // Something else may answer by now.
            clearSoon()
        case .failure(is CancellationError): break
        case .failure(let error):
            hasFailed = true
            held.mix(with: current)
            save()
            let error = error as? EngineError ?? EngineError(.storage, "\(error)")
            logger.warning("the engine keeps files", metadata: ["urls": "\(places)", "error": "\(error)"])
            hub?.send(.engineCachesKept(urls, error))
        }
    }

    private func save() {
        do {
            try JSONEncoder().encode(held).write(to: URL(filePath: file), options: .atomic)
        } catch {
            // The next change writes it again. Only a process that ends before leaves something out.
            logger.warning("cannot write what the engine holds", metadata: ["error": "\(error)"])
        }
    }
}

extension PackageBaseURL {
    /// The URL of the origin's root.
    fileprivate var origin: String { "\(scheme)://\(authority)/" }
}

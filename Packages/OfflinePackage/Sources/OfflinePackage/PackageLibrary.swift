// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import HTTPTypes
public import Logging
public import PackageFormat
public import ResourceLoading
public import ResourceStore

/// The packages that are installed in a store, and which file of them answers a URL.
///
/// One library owns the generations of a store.
///
/// **Isolation.** Any. Look-ups, pins and `covers(_:)` are synchronous and read memory: a mutex holds the
/// generations that can answer, and is never held while the disk is asked. Installs, removals and sweeps run
/// one after another on a thread of their own, off the caller's actor.
///
/// **Which generation answers.** A page that is known for certain gets the generations that were active when
/// it opened, until it closes, and of packages that had none then the first one that becomes active. Everyone else gets
/// the active ones. Where packages nest, the one with the longest base path decides, also by having no such file;
/// of several with the same base URL the later activated is asked first.
public final class PackageLibrary: Sendable {
    let store: BlobStore
    let archives: any ArchiveReading
    let configuration: Configuration
    let executor = SerialQueue("container.packages")
    /// Inflating and hashing take longest. Two threads: a phone has as many fast cores, and each holds some 600 KB.
    let inflaters = (1...2).map { SerialQueue("container.packages.inflate-\($0)") }
    /// Those that bring files, one at a time.
    let turns = KeyedQueue(atATime: 1, inLine: 256)
    private let state: Mutex<State>

    /// Finds the active generations in the store.
    ///
    /// Generations that were staged and never activated, because the process ended in between, are given up, unless
    /// they were staged to wait.
    /// A generation whose record makes no sense is left out and logged.
    /// - Throws: `StoreError`.
    public init(
        store: BlobStore, archives: any ArchiveReading = LibarchiveReader(), configuration: Configuration = .init()
    ) throws {
        self.store = store
        self.archives = archives
        self.configuration = configuration
        for generation in try store.generations(in: .staged)
        where (try? GenerationRecord(decoding: generation.metadata))?.timing == nil {
            do {
                try store.retire(generation.number)
            } catch {
                // On a full disk the packages that are active must answer all the same; the next launch tries again.
                configuration.logger.error(
                    "cannot give a staged generation up",
                    metadata: ["package": "\(generation.package)", "error": "\(error)"])
            }
        }
        var active: [PackageGeneration] = []
        for stored in try store.activeGenerations() {
            do {
                active.append(try PackageGeneration(stored))
            } catch {
                configuration.logger.error(
                    "left out a generation with a damaged record",
                    metadata: ["package": "\(stored.package)", "generation": "\(stored.number)", "error": "\(error)"])
            }
        }
        state = Mutex(State(active: active))
    }

    /// The packages that answer now, by identifier.
    public var installed: [InstalledPackage] {
        state.withLock { state in
            state.active.values.compactMap { state.generations[$0]?.package }.sorted { $0.id < $1.id }
        }
    }

    /// How many times a packaged file could not be read from the store since the library was made. Each was
    /// answered as if the package lacked the file.
    public var unreadableFiles: Int {
        state.withLock { $0.unreadableFiles }
    }

    /// Whether a URL lies under the base URL of an active package, whether or not that has such a file.
    public func covers(_ url: String) -> Bool {
        PackageURL(url).map(covers) ?? false
    }

    /// Whether a request goes to a URL under the base URL of an active package, whether or not that has such a file.
    public func covers(_ request: HTTPRequest) -> Bool {
        PackageURL(request).map(covers) ?? false
    }

    private func covers(_ url: PackageURL) -> Bool {
        state.withLock { $0.covers(url) }
    }

    /// Whether an origin has something of a package that is active, or that a page is still on.
    /// - Parameter request: of that origin; its path does not count.
    public func serves(originOf request: HTTPRequest) -> Bool {
        guard let origin = PackageURL(request)?.origin else { return false }
        return state.withLock { $0.hasCandidates(at: origin) }
    }

    /// Whether a URL lies under the base URL of a package as a page has it: the generation that the page is pinned
    /// to, or else the active one.
    public func covers(_ url: String, for page: PageReference) -> Bool {
        guard let url = PackageURL(url) else { return false }
        return candidates(for: url, page: page).contains { $0.contains(url) }
    }

    /// Puts a page that opens on the active generation of every package, since a shared package may serve any page.
    /// Of a package that has none yet it gets the first one that becomes active.
    /// - Parameters:
    ///   - page: the page that opens.
    ///   - isShared: whether its requests do not name their page, as those that come by a proxy. All such pages are on
    ///     the same generations, those of the first that opened, and so are requests of no page, until the last one
    ///     closes.
    /// - Returns: ``generations(of:)`` by now.
    @discardableResult
    public func pin(_ page: PageID, isShared: Bool = false) -> [GenerationReference] {
        state.withLock { state in
            state.pin(page, isShared: isShared, in: store)
            return state.pins(of: page) ?? []
        }
    }

    /// Has the requests of an open page be among those that do not say whose they are, as where its view goes on to
    /// what comes by a proxy: from now on it is on the generations of all such pages, and its own are no longer held for
    /// it. What it was taken off by ``repin(_:without:)`` it gets back only where another of them is on it.
    /// - Returns: ``generations(of:)`` by now.
    @discardableResult
    public func share(_ page: PageID) -> [GenerationReference] {
        state.withLock { state in
            state.join(page, in: store)
            return state.pins(of: page) ?? []
        }
    }

    /// Those of the generations of an open page under whose base URL a URL lies.
    public func generations(of page: PageID, covering url: String) -> [GenerationReference] {
        guard let url = PackageURL(url) else { return [] }
        return state.withLock { $0.pinned(of: page) }.filter { $0.contains(url) }.map(\.package.generation)
    }

    /// The generation of an open page that answers a URL, by a file of it, or by saying that there is none; `nil` where
    /// that is left to others. It may have to read.
    @concurrent
    public func generation(of page: PageID, answering url: String) async -> GenerationReference? {
        guard let url = PackageURL(url) else { return nil }
        let covering = state.withLock { $0.pinned(of: page) }.filter { $0.contains(url) }
        let depth = covering.map(\.base.path.utf8.count).max()
        // As requests are answered: the longest base path decides, and there the latest.
        let deciding = covering.filter { $0.base.path.utf8.count == depth }.sorted { $0.number > $1.number }
        let answering = deciding.first { ((try? $0.file(at: url, in: store)) ?? nil) != nil }
        return (answering ?? deciding.first(where: \.package.isComplete))?.package.generation
    }

    /// Takes generations from an open page, which then has the active ones of their packages, as far as these are
    /// others: for a page that does not boot on what it has.
    ///
    /// Pages whose requests do not say whose they are stay on the same: while another one is open, nothing changes.
    /// - Returns: whether the page has none of them now.
    public func repin(_ page: PageID, without avoided: Set<GenerationReference>) -> Bool {
        state.withLock { $0.repin(page, without: Set(avoided.map(\.number)), in: store) }
    }

    /// Whether ``repin(_:without:)`` can take generations from a page now.
    public func mayRepin(_ page: PageID) -> Bool { state.withLock { $0.mayRepin(page) } }

    /// The generations that answer an open page until it closes; empty for a page that is not open.
    public func generations(of page: PageID) -> [GenerationReference] {
        state.withLock { $0.pins(of: page) } ?? []
    }

    /// The packages that answer an open page until it closes, by identifier; empty for a page that is not open.
    public func packages(of page: PageID) -> [InstalledPackage] {
        state.withLock { $0.packages(of: page) ?? [] }
    }

    /// Takes the pins of a page that closes back. Generations that no longer answer anyone are removed by the next
    /// ``sweep()``.
    public func unpin(_ page: PageID) {
        state.withLock { $0.unpin(page, in: store) }
    }

    /// Takes a package out of use. Pages that are open keep it until they close.
    /// - Returns: whether it was installed.
    /// - Throws: `StoreError`.
    @discardableResult
    public func remove(_ id: PackageID) async throws -> Bool {
        try await withTaskExecutorPreference(executor) { [self] in
            guard let number = state.withLock({ $0.active[id.description] }) else { return false }
            try store.retire(number)
            state.withLock { $0.retire(id.description, in: store) }
            return true
        }
    }

    /// Forgets what can be read from the store again: the tables of the packages, some 200 bytes for each file. For a
    /// warning that memory is short. The next look-up in a package waits for its table, a few milliseconds for a
    /// thousand files.
    public func releaseMemory() {
        for generation in state.withLock({ Array($0.generations.values) }) { generation.releaseMemory() }
    }

    /// Removes from disk the generations that no page and no package needs any more. Costs next to nothing where there is
    /// none.
    /// - Throws: `StoreError`.
    @discardableResult
    public func sweepRetired() async throws -> SweepResult {
        try await withTaskExecutorPreference(executor) { [self] in try store.sweepRetired() }
    }

    /// Removes from disk what no page and no package needs any more, and what a crash or a failed install left. Looks at
    /// every file.
    /// - Throws: `StoreError`.
    @discardableResult
    public func sweep() async throws -> SweepResult {
        try await withTaskExecutorPreference(executor) { [self] in try store.sweep() }
    }
}

// MARK: - For the loader and the installer

extension PackageLibrary {
    /// The generations that may answer a URL for a page, in the order in which to ask them; `nil` for no certain page.
    func candidates(for url: PackageURL, page: PageReference?) -> [PackageGeneration] {
        state.withLock { $0.candidates(at: url.origin, for: page) }
    }

    /// Runs what blocks on the library's thread.
    func onThread<Value: Sendable>(_ body: @Sendable (PackageLibrary) throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(executor) { [self] in
            try Task.checkCancellation()
            return try body(self)
        }
    }

    /// Whether a page may be answered from a package that is still arriving: not where it has files of another version, or
    /// another is there by now. From then on it gets files of no other.
    func admit(_ page: PageID, to manifest: PackageManifest) -> Bool {
        state.withLock { $0.admit(page, to: manifest.id.description, manifest.version) }
    }

    func activeGeneration(of id: PackageID) -> PackageGeneration? {
        state.withLock { $0.activeGeneration(of: id.description) }
    }

    /// Has one who listens told of damaged files; each is told once, until it is repaired.
    func onDamage(_ receive: @escaping @Sendable (DamagedFile) -> Void) {
        state.withLock { $0.onDamage = receive }
    }

    /// Has what is damaged from now on told again.
    func forgetDamage(of generation: PackageGeneration) {
        state.withLock { $0.forgetDamage(of: generation.number) }
    }

    /// Lets a generation answer that the store just made active.
    func adopt(_ generation: PackageGeneration) {
        state.withLock { $0.adopt(generation, in: store) }
    }

    /// - Parameter file: its path in the package; `nil` where the package's table cannot be read.
    func countUnreadable(_ file: String?, of generation: PackageGeneration, because error: any Error) {
        let code = (error as? StoreError)?.code
        let receive = state.withLock { state in
            state.unreadableFiles += 1
            // Another error may be gone the next time.
            guard code == .damaged || code == .notFound, state.recordDamage(file, of: generation.number) else {
                return (@Sendable (DamagedFile) -> Void)?.none
            }
            return state.onDamage
        }
        let package = generation.package
        receive?(
            DamagedFile(
                package: package.id, version: package.version, generation: package.generation, path: file,
                reason: String(describing: error)))
        configuration.logger.warning(
            "cannot read a packaged file",
            metadata: [
                "package": "\(generation.package.id)", "generation": "\(generation.number)", "file": "\(file ?? "all")",
                "error": "\(error)",
            ])
    }
}

extension PackageLibrary {
    /// What a library may be told.
    public struct Configuration: Sendable {
        /// What an archive may ask for. Default: `ArchiveLimits.default`.
        public var archiveLimits: ArchiveLimits
        /// What a manifest may ask for. Default: `ManifestLimits.default`.
        public var manifestLimits: ManifestLimits
        /// The host's own version, for packages that ask for one. `nil`, the default, refuses every package that does.
        public var hostVersion: PackageVersion?
        /// A Boolean value that indicates whether sources, manifests, archives and base URLs may be of `http` on other
        /// machines than this one. Default: `false`. What is of this machine is always allowed: 127.0.0.0/8, `[::1]`,
        /// `localhost` and names below it.
        public var allowsInsecure: Bool
        /// Is told of damage. Default: a logger with the label `container.packages`.
        public var logger: Logger

        public init(
            archiveLimits: ArchiveLimits = .default, manifestLimits: ManifestLimits = .default,
            hostVersion: PackageVersion? = nil, allowsInsecure: Bool = false,
            logger: Logger = Logger(label: "container.packages")
        ) {
            self.archiveLimits = archiveLimits
            self.manifestLimits = manifestLimits
            self.hostVersion = hostVersion
            self.allowsInsecure = allowsInsecure
            self.logger = logger
        }
    }
}

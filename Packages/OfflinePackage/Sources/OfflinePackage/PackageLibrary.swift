// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import HTTPTypes
public import Logging
@_spi(Packaging) public import PackageFormat
public import ResourceLoading
public import ResourceStore
internal import WebSyntax

/// The packages that are installed in a store, and the lookup of their files by URL.
///
/// Only one library may use the generations of a store.
///
/// **Isolation.** Any. Lookups, pins and `covers(_:)` are synchronous and use memory. A mutex protects the
/// generations that can serve requests; it is never held during disk access. Installs, removals and sweeps run off the
/// caller's actor: on one separate thread, and before iOS 18 and macOS 15 on the threads of the cooperative pool. On
/// all systems, an activation or removal changes the store and these generations in one step.
///
/// **Lookup.** An identified page uses the generations that were active when it opened, until it closes. For a
/// package without an active generation at that time, it uses the first one that becomes active. All other requests
/// use the active generations. If base URLs are nested, the package with the longest base path decides, even if it
/// has no such file. Of several packages with the same base URL, the most recently activated one is used first.
public final class PackageLibrary: Sendable {
    let store: BlobStore
    let archives: any ArchiveReading
    let configuration: Configuration
    let executor = SerialQueue("container.packages")
    /// The threads that inflate and hash, the slowest steps. Each uses about 600 KB; two match the fast cores of a
    /// phone.
    let inflaters = (1...2).map { SerialQueue("container.packages.inflate-\($0)") }
    /// The queue of operations that extract files, one at a time.
    let turns = KeyedQueue(maxConcurrent: 1, maxWaiting: 256)
    private let state: Mutex<State>
    /// The lock of changes that consist of several accesses to the store and to `state`.
    private let changes = Mutex(())

    /// Opens a library and loads the active generations from the store.
    ///
    /// A staged generation without a timing comes from a process that ended during an install, and is discarded. A
    /// generation with an invalid record is skipped and logged.
    /// - Throws: `StoreError`.
    public convenience init(store: BlobStore, configuration: Configuration = .init()) throws {
        try self.init(store: store, archives: ArchiveReader(), configuration: configuration)
    }

    /// Opens a library with another reader of archives.
    init(store: BlobStore, archives: any ArchiveReading, configuration: Configuration = .init()) throws {
        self.store = store
        self.archives = archives
        self.configuration = configuration
        for generation in try store.generations(in: .staged)
        where (try? GenerationRecord(decoding: generation.metadata))?.timing == nil {
            do {
                try store.retire(generation.number)
            } catch {
                // On a full disk the active packages must still be usable. The next launch tries again.
                configuration.logger.error(
                    "cannot discard a staged generation",
                    metadata: ["package": "\(generation.package)", "error": "\(error)"])
            }
        }
        var active: [PackageGeneration] = []
        for stored in try store.activeGenerations() {
            do {
                active.append(try PackageGeneration(stored))
            } catch {
                configuration.logger.error(
                    "skipped a generation with a damaged record",
                    metadata: ["package": "\(stored.package)", "generation": "\(stored.number)", "error": "\(error)"])
            }
        }
        state = Mutex(State(active: active))
    }

    /// The active packages, ordered by identifier.
    public var installed: [InstalledPackage] {
        state.withLock { state in
            state.active.values.compactMap { state.generations[$0]?.package }.sorted { $0.id < $1.id }
        }
    }

    /// The number of packaged files that could not be read from the store since the library was created.
    ///
    /// For each of them the package behaved as if it did not contain the file.
    public var unreadableFiles: Int {
        state.withLock { $0.unreadableFiles }
    }

    /// Returns a Boolean value that indicates whether a URL lies below the base URL of an active package. The package
    /// need not contain the file.
    public func covers(_ url: String) -> Bool {
        PackageURL(url).map(covers) ?? false
    }

    /// Returns a Boolean value that indicates whether a request's URL lies below the base URL of an active package. The
    /// package need not contain the file.
    public func covers(_ request: HTTPRequest) -> Bool {
        PackageURL(request).map(covers) ?? false
    }

    private func covers(_ url: PackageURL) -> Bool {
        state.withLock { $0.covers(url) }
    }

    /// Returns a Boolean value that indicates whether an active or pinned generation serves the origin of a request.
    /// - Parameter request: a request to the origin; its path is ignored.
    public func serves(originOf request: HTTPRequest) -> Bool {
        guard let origin = PackageURL(request)?.origin else { return false }
        return state.withLock { $0.hasCandidates(at: origin) }
    }

    /// Returns a Boolean value that indicates whether a URL lies below the base URL of a package for a page.
    ///
    /// The generation that the page is pinned to counts, otherwise the active one.
    public func covers(_ url: String, for page: PageReference) -> Bool {
        guard let url = PackageURL(url) else { return false }
        return candidates(for: url, page: page).contains { $0.contains(url) }
    }

    /// Pins a new page to the active generation of every package, because any page may use a shared package.
    ///
    /// For a package without an active generation, the page is pinned to the first one that becomes active.
    /// - Parameters:
    ///   - page: the page that opens.
    ///   - isShared: whether the page has shared requests, which do not identify their page, for example because they
    ///     arrive through a proxy. All such pages, and requests without a page, use the pins of the first such page
    ///     until the last one closes, or until ``adoptActive(_:covering:)`` pins one of them to newer generations,
    ///     which later pages then use.
    /// - Returns: the result of ``generations(of:)`` after the change.
    @discardableResult
    public func pin(_ page: PageID, isShared: Bool = false) -> [GenerationReference] {
        state.withLock { state in
            state.pin(page, isShared: isShared, in: store)
            return state.pins(of: page) ?? []
        }
    }

    /// Converts an open page to a page with shared requests, for example when its view starts to use a proxy. Such
    /// requests do not identify their page.
    ///
    /// The page receives the pins of all such pages and releases its own. A generation that ``repin(_:without:)``
    /// removed is pinned again only if another of these pages uses it.
    /// - Returns: the result of ``generations(of:)`` after the change.
    @discardableResult
    public func share(_ page: PageID) -> [GenerationReference] {
        state.withLock { state in
            state.join(page, in: store)
            return state.pins(of: page) ?? []
        }
    }

    /// Returns the pinned generations of an open page whose base URL covers a URL.
    public func generations(of page: PageID, covering url: String) -> [GenerationReference] {
        guard let url = PackageURL(url) else { return [] }
        return state.withLock { $0.pinned(of: page) }.filter { $0.contains(url) }.map(\.package.generation)
    }

    /// Returns the pinned generation of an open page that decides a URL, with a file or with a "not found" response.
    ///
    /// Returns `nil` if the page's packages do not decide the URL. May read from disk.
    @concurrent
    public func generation(of page: PageID, answering url: String) async -> GenerationReference? {
        guard let url = PackageURL(url) else { return nil }
        let covering = state.withLock { $0.pinned(of: page) }.filter { $0.contains(url) }
        let depth = covering.map(\.base.path.utf8.count).max()
        // As in the lookup of requests, the longest base path decides, then the latest generation.
        let deciding = covering.filter { $0.base.path.utf8.count == depth }.sorted { $0.number > $1.number }
        let answering = deciding.first { ((try? $0.file(at: url, in: store)) ?? nil) != nil }
        return (answering ?? deciding.first(where: \.package.isComplete))?.package.generation
    }

    /// Returns a Boolean value that indicates whether a package decides a URL for a page: it has the file, or it is
    /// complete. May read the table of a generation from disk.
    public func decides(_ url: String, for page: PageReference) -> Bool {
        guard let url = PackageURL(url) else { return false }
        let covering = candidates(for: url, page: page).filter { $0.contains(url) }
        // As in the lookup of requests, the longest base path decides.
        return covering.prefix { $0.base.path.utf8.count == covering[0].base.path.utf8.count }
            .contains { $0.package.isComplete || ((try? $0.file(at: url, in: store)) ?? nil) != nil }
    }

    /// Returns the URLs of the files of the packages that an open page is pinned to. Those of complete packages are not
    /// included. May read from disk.
    @concurrent
    public func fileURLs(of page: PageID) async -> [String] {
        let generations = state.withLock { $0.pinned(of: page) }.filter { !$0.package.isComplete }
        return generations.flatMap { generation -> [String] in
            let start = generation.base.origin + PercentEncoding.encode(generation.base.path, keeping: .path)
            let paths = (try? generation.entries(in: store))?.keys ?? [:].keys
            return paths.map { start + PercentEncoding.encode($0.text, keeping: .path) }
        }
    }

    /// Replaces pinned generations of an open page with the active ones of their packages, if they differ.
    ///
    /// It is used for a page that does not boot. If another page with shared requests is open, a page with shared
    /// requests is not changed.
    /// - Parameters:
    ///   - page: the page to change.
    ///   - avoided: the generations that the page must not use.
    /// - Returns: `true` if the page uses none of the avoided generations now.
    public func repin(_ page: PageID, without avoided: Set<GenerationReference>) -> Bool {
        state.withLock { $0.repin(page, without: Set(avoided.map(\.number)), in: store) }
    }

    /// Pins an open page to the active generation of every package, as if it opened now, if a package that covers a URL
    /// has another active generation than the page. Call it before the page is reloaded.
    ///
    /// Other pages keep their generations, also if they have shared requests. Then the requests of such pages are
    /// distinguished by ``/ResourceLoading/PageAttribution/requesters``.
    /// - Parameters:
    ///   - page: the page to change.
    ///   - url: the URL of the page's document.
    /// - Returns: `true` if the page uses other generations now.
    public func adoptActive(_ page: PageID, covering url: String) -> Bool {
        guard let url = PackageURL(url) else { return false }
        return state.withLock { $0.adoptActive(page, covering: url, in: store) }
    }

    /// Returns a Boolean value that indicates whether ``adoptActive(_:covering:)`` would pin a page to a generation.
    @_spi(Facade) public func canAdopt(
        _ generation: GenerationReference, for page: PageID, covering url: String
    ) -> Bool {
        guard let url = PackageURL(url) else { return false }
        return state.withLock { $0.adoptable(by: page, covering: url).values.contains(generation.number) }
    }

    /// Returns the generations that an open page uses until it closes; empty if the page is not open.
    public func generations(of page: PageID) -> [GenerationReference] {
        state.withLock { $0.pins(of: page) } ?? []
    }

    /// Returns the packages that an open page uses until it closes, ordered by identifier; empty if the page is not
    /// open.
    public func packages(of page: PageID) -> [InstalledPackage] {
        state.withLock { $0.packages(of: page) ?? [] }
    }

    /// Removes the pins of a page that closes. The next ``sweep()`` removes generations that are no longer used.
    public func unpin(_ page: PageID) {
        state.withLock { $0.unpin(page, in: store) }
    }

    /// Deactivates a package. Open pages use it until they close.
    /// - Returns: `true` if the package was installed.
    /// - Throws: `StoreError`.
    @discardableResult
    public func remove(_ id: PackageID) async throws -> Bool {
        try await executor.withPreference { [self] in try deactivate(id) }
    }

    /// Releases the tables of the packages, about 200 bytes for each file, on memory pressure.
    ///
    /// The next lookup in a package reads its table again, which takes a few milliseconds for a thousand files.
    public func releaseMemory() {
        for generation in state.withLock({ Array($0.generations.values) }) { generation.releaseMemory() }
    }

    /// Removes generations from disk that no page and no package uses. The cost is negligible if there are none.
    /// - Throws: `StoreError`.
    @discardableResult
    public func sweepRetired() async throws -> SweepResult {
        try await executor.withPreference { [self] in try store.sweepRetired() }
    }

    /// Removes unused generations and leftovers of crashes and failed installs from disk. Examines every file.
    /// - Throws: `StoreError`.
    @discardableResult
    public func sweep() async throws -> SweepResult {
        try await executor.withPreference { [self] in try store.sweep() }
    }
}

// MARK: - For the loader and the installer

extension PackageLibrary {
    /// Returns the generations that may serve a URL, in lookup order.
    /// - Parameters:
    ///   - page: the identified page, or `nil`.
    ///   - requesters: the pages that may have sent a request without an identified page.
    func candidates(for url: PackageURL, page: PageReference?, requesters: [PageID] = []) -> [PackageGeneration] {
        state.withLock { $0.candidates(at: url.origin, for: page, requesters: requesters) }
    }

    /// Runs blocking work on the library's thread.
    func onThread<Value: Sendable>(_ body: @Sendable (PackageLibrary) throws -> Value) async throws -> Value {
        try await executor.withPreference { [self] in
            try Task.checkCancellation()
            return try body(self)
        }
    }

    /// Runs a change of several steps while no other change runs. Blocks, and must not be nested.
    ///
    /// The executor alone does not order changes, because before iOS 18 and macOS 15 its jobs run concurrently.
    func change<Value: Sendable>(_ body: () throws -> Value) throws -> Value {
        try changes.withLock { _ in try body() }
    }

    /// Deactivates a package. Blocks while it writes.
    /// - Returns: `true` if the package was active.
    /// - Throws: ``StoreError``.
    func deactivate(_ id: PackageID) throws -> Bool {
        try change {
            guard let number = state.withLock({ $0.active[id.description] }) else { return false }
            try store.retire(number)
            state.withLock { $0.retire(id.description, in: store) }
            return true
        }
    }

    /// Makes a staged or retired generation the active one of its package. Blocks while it writes.
    /// - Throws: ``StoreError``.
    func makeActive(_ generation: PackageGeneration) throws {
        try change {
            try store.activate(generation.number)
            state.withLock { $0.adopt(generation, in: store) }
        }
    }

    /// Returns a Boolean value that indicates whether a page may receive files of a package during its download.
    ///
    /// It may not if it has files of another version or if another version is active. If admitted, the page receives
    /// files of no other version.
    func admit(_ page: PageID, to manifest: PackageManifest) -> Bool {
        state.withLock { $0.admit(page, to: manifest.id.description, manifest.version) }
    }

    func activeGeneration(of id: PackageID) -> PackageGeneration? {
        state.withLock { $0.activeGeneration(of: id.description) }
    }

    /// Sets the receiver of damage reports. Each damaged file is reported once until it is repaired.
    func onDamage(_ receive: @escaping @Sendable (DamagedFile) -> Void) {
        state.withLock { $0.onDamage = receive }
    }

    /// Removes the records of damage of a generation, so that the damage is reported again.
    func removeDamage(of generation: PackageGeneration) {
        state.withLock { $0.removeDamage(of: generation.number) }
    }

    /// Counts, reports and logs a file that could not be read.
    /// - Parameters:
    ///   - file: the path in the package, or `nil` if the package's table cannot be read.
    ///   - generation: the generation of the file.
    ///   - error: the error of the store.
    func countUnreadable(_ file: String?, of generation: PackageGeneration, because error: any Error) {
        let code = (error as? StoreError)?.code
        let receive = state.withLock { state in
            state.unreadableFiles += 1
            // Other errors may be temporary.
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
    /// The options of a library.
    public struct Configuration: Sendable {
        /// The limits of archives. Default: `ArchiveLimits.default`.
        public var archiveLimits: ArchiveLimits
        /// The limits of manifests. Default: `ManifestLimits.default`.
        public var manifestLimits: ManifestLimits
        /// The host's own version. If `nil`, the default, every package with a minimum host version is rejected.
        public var hostVersion: PackageVersion?
        /// A Boolean value that indicates whether sources, manifests, archives and base URLs may use `http` on other
        /// machines. Default: `false`.
        ///
        /// URLs of the local machine are always allowed: 127.0.0.0/8, `[::1]`, `localhost` and names below it.
        public var allowsInsecure: Bool
        /// The logger for damage. Default: a logger with the label `container.packages`.
        public var logger: Logger

        /// Creates options.
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

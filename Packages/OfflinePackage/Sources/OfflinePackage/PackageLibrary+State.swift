// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Packaging) internal import PackageFormat
internal import ResourceLoading
internal import ResourceStore

extension PackageLibrary {
    /// The in-memory state of the generations that can serve requests.
    struct State {
        /// The generations that can serve requests, by number: active ones, and retired ones that a page is pinned
        /// to.
        private(set) var generations: [Int64: PackageGeneration] = [:]
        /// The number of the active generation of each package.
        private(set) var active: [String: Int64] = [:]
        /// The generations by origin, ordered by descending length of the base path, then by descending number.
        /// Derived.
        private(set) var candidates: [String: [Candidate]] = [:]
        private var pages: [PageID: OpenPage] = [:]
        /// The pinned generations of the open pages that share their requests, by package: the active one first, then
        /// the others, newest first. There are several only after ``adoptActive(_:covering:in:)``. Derived.
        private var sharedPins: [String: [Int64]] = [:]
        /// The generations that no page with shared requests may receive. Derived.
        private var sharedAvoided: Set<Int64> = []
        var unreadableFiles = 0
        /// The damaged files that were reported, by generation, so that each is reported once. The empty path means the
        /// table.
        private var reported: [Int64: Set<String>] = [:]
        /// The receiver of damage reports.
        var onDamage: (@Sendable (DamagedFile) -> Void)?

        /// Creates the state with the active generations.
        init(active: [PackageGeneration]) {
            for generation in active { add(generation) }
            derive()
        }

        func activeGeneration(of package: String) -> PackageGeneration? {
            active[package].flatMap { generations[$0] }
        }

        /// Returns the generations that serve an origin for a page, or for other requests if `page` is `nil`, in
        /// lookup order.
        /// - Parameters:
        ///   - origin: the origin.
        ///   - page: the page that the engine identifies; `nil` for other requests.
        ///   - requesters: the pages that may have sent a request without an identified page, the most probable one
        ///     first. They matter if pages with shared requests are pinned to different generations of a package.
        func candidates(
            at origin: String, for page: PageReference?, requesters: [PageID] = []
        ) -> [PackageGeneration] {
            guard let all = candidates[origin] else { return [] }
            let open = page.flatMap { pages[$0.id] }
            var hasSeveral = false
            let answering = all.compactMap { candidate -> PackageGeneration? in
                let package = candidate.generation.package.generation.package
                // For a page that is not open in this library, the pins of its `PageReference` apply. For a request
                // without a page, the pins of the pages with shared requests apply.
                let shared = page == nil ? sharedPins[package] : nil
                if let shared, shared.count > 1 {
                    hasSeveral = true
                    let isPinned = pins(of: requesters, for: package, among: shared)
                        .contains(candidate.generation.number)
                    return isPinned ? candidate.generation : nil
                }
                let pinned =
                    open.map { $0.pins[package] }
                    ?? (page == nil ? shared?.first : page?.generation(of: package)?.number)
                let answers =
                    pinned.map { $0 == candidate.generation.number }
                    ?? (candidate.isActive && open?.mayHave(candidate.generation.package) != false
                        && open?.avoided.contains(candidate.generation.number) != true
                        && !(page == nil && sharedAvoided.contains(candidate.generation.number)))
                return answers ? candidate.generation : nil
            }
            return hasSeveral ? ordered(answering, for: requesters) : answering
        }

        /// Returns the generations of a package that may answer a request of one of several pages with shared requests:
        /// that of the pages if they all have the same one, otherwise all.
        private func pins(of requesters: [PageID], for package: String, among shared: [Int64]) -> [Int64] {
            let pins = Set(requesters.map { pages[$0]?.pins[package] })
            if pins.count == 1, let pin = pins.first ?? nil { return [pin] }
            return shared
        }

        /// Returns generations in lookup order: of several generations of a package, first the pin of the most probable
        /// requester, then the shared pins in their order.
        private func ordered(_ generations: [PackageGeneration], for requesters: [PageID]) -> [PackageGeneration] {
            var ordered = generations
            for (package, shared) in sharedPins where shared.count > 1 {
                let preferred = requesters.compactMap { pages[$0]?.pins[package] } + shared
                // Generations with different base URLs keep their places, because the longest base path decides.
                let places = Dictionary(
                    grouping: generations.indices.filter {
                        generations[$0].package.generation.package == package
                    }, by: { generations[$0].base.path })
                for places in places.values {
                    let sorted = places.map { generations[$0] }.sorted {
                        (preferred.firstIndex(of: $0.number) ?? .max) < (preferred.firstIndex(of: $1.number) ?? .max)
                    }
                    for (place, generation) in zip(places, sorted) { ordered[place] = generation }
                }
            }
            return ordered
        }

        /// Returns a Boolean value that indicates whether any generation serves an origin.
        func hasCandidates(at origin: String) -> Bool {
            candidates[origin] != nil
        }

        /// Returns a Boolean value that indicates whether a URL lies below the base URL of an active generation.
        func covers(_ url: PackageURL) -> Bool {
            candidates[url.origin]?.contains { $0.isActive && $0.generation.contains(url) } ?? false
        }

        /// Returns the generations that a page is pinned to, ordered by number, or `nil` if the page is not open.
        func pins(of page: PageID) -> [GenerationReference]? {
            pages[page]?.pins.values.sorted().compactMap { generations[$0]?.package.generation }
        }

        func pinned(of page: PageID) -> [PackageGeneration] {
            pages[page]?.pins.values.compactMap { generations[$0] } ?? []
        }

        /// Returns the packages that a page is pinned to, ordered by identifier, or `nil` if the page is not open.
        func packages(of page: PageID) -> [InstalledPackage]? {
            pages[page]?.pins.values.compactMap { generations[$0]?.package }.sorted { $0.id < $1.id }
        }

        /// Pins a new page to the active generation of every package. A page with shared requests uses the pins of the
        /// other pages with shared requests.
        mutating func pin(_ page: PageID, isShared: Bool, in store: BlobStore) {
            guard pages[page] == nil else { return }
            // A generation that one of the pages with shared requests failed to boot on is not pinned again, unless
            // another of these pages uses it.
            let avoided = isShared ? sharedAvoided : []
            let allowed = active.filter { !avoided.contains($0.value) }
            let targets = isShared ? allowed.merging(sharedPins.compactMapValues(\.first)) { $1 } : allowed
            pages[page] = OpenPage(
                pins: targets.filter { store.pin($0.value) }, avoided: avoided, isShared: isShared)
            share()
        }

        /// Returns a Boolean value that indicates whether a page can be pinned to other generations.
        ///
        /// A page with shared requests can be repinned only if it is the only such page.
        func mayRepin(_ page: PageID) -> Bool {
            guard let open = pages[page] else { return false }
            return !open.isShared || !pages.contains { $0.key != page && $0.value.isShared }
        }

        /// Converts an open page to a page with shared requests, whose requests do not identify their page.
        ///
        /// The page receives the pins of all such pages, because the library cannot distinguish their requests. In
        /// other packages it receives the active generation, unless one of these pages failed to boot on it.
        mutating func join(_ page: PageID, in store: BlobStore) {
            guard let open = pages[page], !open.isShared else { return }
            let avoided = open.avoided.union(sharedAvoided)
            let targets = active.filter { !avoided.contains($0.value) }
                .merging(sharedPins.compactMapValues(\.first)) { $1 }
            pages[page] = OpenPage(pins: targets.filter { store.pin($0.value) }, avoided: avoided, isShared: true)
            for number in open.pins.values { store.unpin(number) }
            share()
            dropUnused(in: store)
        }

        /// Pins a page to other generations than `avoided`.
        mutating func repin(_ page: PageID, without avoided: Set<Int64>, in store: BlobStore) -> Bool {
            guard mayRepin(page), var open = pages[page] else { return false }
            open.avoided.formUnion(avoided)
            let lost = open.pins.filter { open.avoided.contains($0.value) }
            for package in lost.keys { open.pins[package] = nil }
            // The page keeps its pins of other packages.
            for (package, number) in active
            where open.pins[package] == nil && !open.avoided.contains(number) && store.pin(number) {
                open.pins[package] = number
            }
            for number in lost.values { store.unpin(number) }
            pages[page] = open
            share()
            dropUnused(in: store)
            return true
        }

        /// Pins a page to the active generation of every package, as if it opened now, if a package that covers a URL
        /// has another active generation than the page. A generation that the page must not use is not pinned.
        ///
        /// Other pages with shared requests keep their pins.
        mutating func adoptActive(_ page: PageID, covering url: PackageURL, in store: BlobStore) -> Bool {
            let changed = adoptable(by: page, covering: url)
            guard var open = pages[page], !changed.isEmpty else { return false }
            for (package, number) in changed where store.pin(number) {
                if let former = open.pins.updateValue(number, forKey: package) { store.unpin(former) }
                open.arrived[package] = nil
            }
            pages[page] = open
            share()
            dropUnused(in: store)
            return true
        }

        /// Returns the generations that ``adoptActive(_:covering:in:)`` would pin a page to, by package.
        func adoptable(by page: PageID, covering url: PackageURL) -> [String: Int64] {
            guard let open = pages[page] else { return [:] }
            let changed = active.filter { open.pins[$0.key] != $0.value && !open.avoided.contains($0.value) }
            return changed.values.contains { generations[$0]?.contains(url) == true } ? changed : [:]
        }

        /// Removes a page and its pins.
        mutating func unpin(_ page: PageID, in store: BlobStore) {
            for number in (pages.removeValue(forKey: page)?.pins ?? [:]).values { store.unpin(number) }
            share()
            dropUnused(in: store)
        }

        /// Recomputes the common pins and avoided generations of the pages with shared requests.
        private mutating func share() {
            let shared = pages.values.filter(\.isShared)
            let pins = shared.reduce(into: [String: Set<Int64>]()) { all, open in
                for (package, number) in open.pins { all[package, default: []].insert(number) }
            }
            sharedPins = Dictionary(
                uniqueKeysWithValues: pins.map { package, numbers in
                    let active = active[package]
                    return (package, numbers.sorted { ($0 == active ? .max : $0) > ($1 == active ? .max : $1) })
                })
            sharedAvoided = shared.reduce(into: []) { $0.formUnion($1.avoided) }
        }

        /// Makes a generation the active one of its package.
        ///
        /// Pages that opened while the package had no active generation are pinned to this generation. They may have
        /// received files of it during its download, and files of a later generation would not fit. Pages that received
        /// files of another version are not pinned.
        mutating func adopt(_ generation: PackageGeneration, in store: BlobStore) {
            let package = generation.package.generation.package
            if active[package] == nil {
                for (page, open) in pages where open.pins[package] == nil && open.mayHave(generation.package) {
                    if store.pin(generation.number) { pages[page]?.pins[package] = generation.number }
                }
            }
            add(generation)
            share()
            dropUnused(in: store)
        }

        /// Returns a Boolean value that indicates whether a page may receive a file of a package during its download.
        ///
        /// If so, the version is recorded for the page.
        mutating func admit(_ page: PageID, to package: String, _ version: PackageVersion) -> Bool {
            if let current = pages[page]?.pins[package] ?? active[package] {
                // The package was installed while the file was read. The version decides.
                return generations[current]?.package.version == version
            }
            guard let open = pages[page] else { return true }
            guard open.arrived[package, default: version] == version else { return false }
            pages[page]?.arrived[package] = version
            return true
        }

        /// Removes the active generation of a package.
        mutating func retire(_ package: String, in store: BlobStore) {
            active[package] = nil
            share()
            dropUnused(in: store)
        }

        /// Removes retired generations that no page is pinned to. They cannot be pinned again.
        mutating func dropUnused(in store: BlobStore) {
            generations = generations.filter { isActive($0.value) || store.isPinned($0.key) }
            reported = reported.filter { generations[$0.key] != nil }
            derive()
        }

        /// Records a damaged file.
        /// - Parameters:
        ///   - path: the path of the file, or `nil` for the table.
        ///   - generation: the number of the generation.
        /// - Returns: `true` if the damage was not reported before.
        mutating func recordDamage(_ path: String?, of generation: Int64) -> Bool {
            generations[generation] != nil && reported[generation, default: []].insert(path ?? "").inserted
        }

        /// Removes the records of damage of a generation, so that the damage is reported again.
        mutating func removeDamage(of generation: Int64) {
            reported[generation] = nil
        }

        private mutating func add(_ generation: PackageGeneration) {
            generations[generation.number] = generation
            active[generation.package.id.description] = generation.number
        }

        private mutating func derive() {
            candidates = Dictionary(grouping: generations.values, by: \.base.origin).mapValues { generations in
                generations.sorted {
                    ($0.base.path.utf8.count, $0.number) > ($1.base.path.utf8.count, $1.number)
                }
                .map { Candidate(generation: $0, isActive: isActive($0)) }
            }
        }

        private func isActive(_ generation: PackageGeneration) -> Bool {
            active[generation.package.id.description] == generation.number
        }
    }

    /// The pins and restrictions of an open page.
    private struct OpenPage {
        /// The pinned generation numbers, by package.
        var pins: [String: Int64] = [:]
        /// The versions from which the page received files during a download, by package.
        var arrived: [String: PackageVersion] = [:]
        /// The numbers of generations that the page failed to boot on.
        var avoided: Set<Int64> = []
        /// A Boolean value that indicates whether the page's requests do not identify their page.
        var isShared = false

        /// Returns a Boolean value that indicates whether the page received no files of another version of the package.
        func mayHave(_ package: InstalledPackage) -> Bool {
            arrived[package.generation.package].map { $0 == package.version } ?? true
        }
    }

    /// A generation that may serve an origin, with a cached value that indicates whether it is active.
    struct Candidate: Sendable {
        let generation: PackageGeneration
        let isActive: Bool
    }
}

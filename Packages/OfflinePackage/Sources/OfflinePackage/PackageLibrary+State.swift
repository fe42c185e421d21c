// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PackageFormat
internal import ResourceLoading
internal import ResourceStore

extension PackageLibrary {
    /// Which generations can answer. Memory only.
    struct State {
        /// Those that can answer, by number: the active ones, and retired ones while a page is pinned to them.
        private(set) var generations: [Int64: PackageGeneration] = [:]
        /// The number of each package's active generation.
        private(set) var active: [String: Int64] = [:]
        /// The same by origin, the longest base path first, then the highest number. Derived.
        private(set) var candidates: [String: [Candidate]] = [:]
        private var pages: [PageID: OpenPage] = [:]
        /// The generations of the open pages whose requests do not say whose they are, by package. Derived.
        private var sharedPins: [String: Int64] = [:]
        /// What none of these gets. Derived.
        private var sharedAvoided: Set<Int64> = []
        var unreadableFiles = 0
        /// What of each generation was told to be damaged, so that a page that asks again causes no second report. The
        /// empty path stands for the table.
        private var reported: [Int64: Set<String>] = [:]
        /// Is told of damage.
        var onDamage: (@Sendable (DamagedFile) -> Void)?

        /// Adds the active generations, once.
        init(active: [PackageGeneration]) {
            for generation in active { add(generation) }
            derive()
        }

        func activeGeneration(of package: String) -> PackageGeneration? {
            active[package].flatMap { generations[$0] }
        }

        /// Those that answer a URL of this origin, for a page or for everyone else, in the order in which to ask them.
        func candidates(at origin: String, for page: PageReference?) -> [PackageGeneration] {
            guard let all = candidates[origin] else { return [] }
            let open = page.flatMap { pages[$0.id] }
            return all.compactMap { candidate in
                let package = candidate.generation.package.generation.package
                // A page that this library does not know says itself what it stays on; who is not known stays where the
                // pages are that cannot be told apart.
                let pinned =
                    open.map { $0.pins[package] }
                    ?? (page == nil ? sharedPins[package] : page?.generation(of: package)?.number)
                let answers =
                    pinned.map { $0 == candidate.generation.number }
                    ?? (candidate.isActive && open?.mayHave(candidate.generation.package) != false
                        && open?.avoided.contains(candidate.generation.number) != true
                        && !(page == nil && sharedAvoided.contains(candidate.generation.number)))
                return answers ? candidate.generation : nil
            }
        }

        /// Whether something of an origin is answered, for anyone.
        func hasCandidates(at origin: String) -> Bool {
            candidates[origin] != nil
        }

        /// Whether an active generation answers for a URL.
        func covers(_ url: PackageURL) -> Bool {
            candidates[url.origin]?.contains { $0.isActive && $0.generation.contains(url) } ?? false
        }

        /// What a page stays on, by number; `nil` for a page that is not open.
        func pins(of page: PageID) -> [GenerationReference]? {
            pages[page]?.pins.values.sorted().compactMap { generations[$0]?.package.generation }
        }

        func pinned(of page: PageID) -> [PackageGeneration] {
            pages[page]?.pins.values.compactMap { generations[$0] } ?? []
        }

        /// The packages that a page stays on, by identifier; `nil` for a page that is not open.
        func packages(of page: PageID) -> [InstalledPackage]? {
            pages[page]?.pins.values.compactMap { generations[$0]?.package }.sorted { $0.id < $1.id }
        }

        /// Puts a page that opens on the active generation of every package; one that cannot be told apart from others
        /// on those that they are on.
        mutating func pin(_ page: PageID, isShared: Bool, in store: BlobStore) {
            guard pages[page] == nil else { return }
            // A generation that one of these did not boot on comes back to none of them, unless others are on it.
            let avoided = isShared ? sharedAvoided : []
            let allowed = active.filter { !avoided.contains($0.value) }
            let wanted = isShared ? allowed.merging(sharedPins) { $1 } : allowed
            pages[page] = OpenPage(
                pins: wanted.filter { store.pin($0.value) }, avoided: avoided, isShared: isShared)
            share()
        }

        /// Whether a page can be given other generations: one that cannot be told apart from others, while it is alone.
        func mayRepin(_ page: PageID) -> Bool {
            guard let open = pages[page] else { return false }
            return !open.isShared || !pages.contains { $0.key != page && $0.value.isShared }
        }

        /// Has an open page be one of those that cannot be told apart. What these are on it gets as well, since who of
        /// them asks is not known; of the rest nothing that it was taken off.
        mutating func join(_ page: PageID, in store: BlobStore) {
            guard let open = pages[page], !open.isShared else { return }
            let avoided = open.avoided.union(sharedAvoided)
            let wanted = active.filter { !avoided.contains($0.value) }.merging(sharedPins) { $1 }
            pages[page] = OpenPage(pins: wanted.filter { store.pin($0.value) }, avoided: avoided, isShared: true)
            for number in open.pins.values { store.unpin(number) }
            share()
            dropUnused(in: store)
        }

        /// Gives a page other generations than these.
        mutating func repin(_ page: PageID, without avoided: Set<Int64>, in store: BlobStore) -> Bool {
            guard mayRepin(page), var open = pages[page] else { return false }
            open.avoided.formUnion(avoided)
            let lost = open.pins.filter { open.avoided.contains($0.value) }
            for package in lost.keys { open.pins[package] = nil }
            // What it has of others it keeps.
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

        /// Takes the pins of a page back.
        mutating func unpin(_ page: PageID, in store: BlobStore) {
            for number in (pages.removeValue(forKey: page)?.pins ?? [:]).values { store.unpin(number) }
            share()
            dropUnused(in: store)
        }

        /// What the open pages that cannot be told apart stay on: all of them on the same.
        private mutating func share() {
            let shared = pages.values.filter(\.isShared)
            sharedPins = shared.reduce(into: [:]) { $0.merge($1.pins) { min($0, $1) } }
            sharedAvoided = shared.reduce(into: []) { $0.formUnion($1.avoided) }
        }

        /// Makes a generation the active one of its package.
        ///
        /// Pages that opened when the package had none stay on this one: they may have files of it from when it was
        /// still arriving, and get more from now on, which those of a later generation would not fit. Pages that have
        /// such files of another version get none.
        mutating func adopt(_ generation: PackageGeneration, in store: BlobStore) {
            let package = generation.package.generation.package
            if active[package] == nil {
                for (page, open) in pages where open.pins[package] == nil && open.mayHave(generation.package) {
                    if store.pin(generation.number) { pages[page]?.pins[package] = generation.number }
                }
                share()
            }
            add(generation)
            dropUnused(in: store)
        }

        /// Whether a page may have a file of a package that is still arriving; notes that it has, where it may.
        mutating func admit(_ page: PageID, to package: String, _ version: PackageVersion) -> Bool {
            if let current = pages[page]?.pins[package] ?? active[package] {
                // It became whole while its bytes were read: the page has the same version either way.
                return generations[current]?.package.version == version
            }
            guard let open = pages[page] else { return true }
            guard open.arrived[package, default: version] == version else { return false }
            pages[page]?.arrived[package] = version
            return true
        }

        /// Leaves a package without an active generation.
        mutating func retire(_ package: String, in store: BlobStore) {
            active[package] = nil
            dropUnused(in: store)
        }

        /// Forgets retired generations that no page is pinned to. They cannot be pinned again: only
        /// active ones are, and those that a page is on.
        mutating func dropUnused(in store: BlobStore) {
            generations = generations.filter { isActive($0.value) || store.isPinned($0.key) }
            reported = reported.filter { generations[$0.key] != nil }
            derive()
        }

        /// Notes that a file is damaged.
        /// - Returns: whether that is news.
        mutating func recordDamage(_ path: String?, of generation: Int64) -> Bool {
            generations[generation] != nil && reported[generation, default: []].insert(path ?? "").inserted
        }

        /// Has what is damaged from now on told again.
        mutating func forgetDamage(of generation: Int64) {
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

    /// What an open page has of packages, and so stays on.
    private struct OpenPage {
        /// The number of a generation, by package.
        var pins: [String: Int64] = [:]
        /// The version of which the page has files from when it was still arriving, by package.
        var arrived: [String: PackageVersion] = [:]
        /// The numbers of generations that the page did not boot on.
        var avoided: Set<Int64> = []
        /// Its requests do not say whose they are.
        var isShared = false

        /// Whether a version does not contradict what the page has.
        func mayHave(_ package: InstalledPackage) -> Bool {
            arrived[package.generation.package].map { $0 == package.version } ?? true
        }
    }

    /// A generation as it was when the state was last changed.
    struct Candidate: Sendable {
        let generation: PackageGeneration
        let isActive: Bool
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PackageFormat
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
        var unreadableFiles = 0
        /// What of each generation was told to be damaged, so that a page that asks again causes no second report. The
        /// empty path stands for the table.
        private var told: [Int64: Set<String>] = [:]
        /// Is told of damage.
        var hearDamage: (@Sendable (DamagedFile) -> Void)?

        /// Adds the active generations, once.
        init(active: [PackageGeneration]) {
            for generation in active { add(generation) }
            derive()
        }

        func activeGeneration(of package: String) -> PackageGeneration? {
            active[package].flatMap { generations[$0] }
        }

        /// Makes a generation the active one of its package.
        mutating func adopt(_ generation: PackageGeneration, in store: ResourceStore) {
            add(generation)
            dropUnused(in: store)
        }

        /// Leaves a package without an active generation.
        mutating func retire(_ package: String, in store: ResourceStore) {
            active[package] = nil
            dropUnused(in: store)
        }

        /// Forgets retired generations that no page is pinned to. They cannot be pinned again: only active ones are.
        mutating func dropUnused(in store: ResourceStore) {
            generations = generations.filter { isActive($0.value) || store.isPinned($0.key) }
            told = told.filter { generations[$0.key] != nil }
            derive()
        }

        /// Notes that a file is damaged.
        /// - Returns: whether that is news.
        mutating func noteDamage(_ path: String?, of generation: Int64) -> Bool {
            generations[generation] != nil && told[generation, default: []].insert(path ?? "").inserted
        }

        /// Has what is damaged from now on told again.
        mutating func forgetDamage(of generation: Int64) {
            told[generation] = nil
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

    /// A generation as it was when the state was last changed.
    struct Candidate: Sendable {
        let generation: PackageGeneration
        let isActive: Bool
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import OfflinePackage
internal import PackageFormat
internal import ResourceLoading

/// Of which packages an engine's own caches may hold files, where these lie in the engine, and of which generation they
/// are: a value, kept across launches.
struct EngineCacheManifest: Codable, Hashable {
    struct Entry: Codable, Hashable {
        let baseURL: PackageBaseURL
        /// The base URL as the engine knows it: at the local server another one, and with another port another again.
        let place: String
        /// `nil` where it may be files of several, or the server's.
        var generation: Int64?

        private enum CodingKeys: String, CodingKey {
            case baseURL, place, generation
        }

        /// The root of the place's origin.
        var root: String {
            let slash = place.utf8.indices.filter { place.utf8[$0] == UInt8(ascii: "/") }.dropFirst(2).first
            return slash.map { String(place[...$0]) } ?? place
        }
    }

    /// By package and place.
    private(set) var entries: [String: Entry] = [:]

    private enum CodingKeys: String, CodingKey {
        case entries
    }

    /// What the engine has to forget before others answer, and nothing else than they say.
    func stale(for wanted: EngineCacheManifest) -> [Entry] {
        let old = entries.filter { wanted.entries[$0.key] != $0.value }.values
        let new = wanted.entries.filter { entries[$0.key] == nil }.values
        return (Array(old) + new).sorted { $0.place < $1.place }
    }

    /// Others answer from now on, and the engine has not forgotten what it held.
    mutating func mix(with wanted: EngineCacheManifest) {
        for (key, entry) in entries where wanted.entries[key] != entry { entries[key]?.generation = nil }
        for (key, entry) in wanted.entries where entries[key] == nil {
            entries[key] = Entry(baseURL: entry.baseURL, place: entry.place, generation: nil)
        }
    }

    /// The engine holds nothing.
    init() {}

    /// The engine holds nothing but files of these packages.
    /// - Parameter place: where a URL lies in the engine.
    /// - Returns: `nil` where that is not known of one of them.
    init?(_ packages: [InstalledPackage], place: (String) -> String?) {
        for package in packages {
            guard let place = place(package.baseURL.description) else { return nil }
            entries["\(package.id) \(place)"] = Entry(
                baseURL: package.baseURL, place: place, generation: package.generation.number)
        }
    }
}

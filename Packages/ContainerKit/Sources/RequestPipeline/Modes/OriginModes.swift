// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading
internal import WebEngine

/// In which mode origins were opened; a value, and its form on disk.
struct OriginModes: Sendable, Hashable {
    private struct File: Codable {
        var mode: String
        var intercepted: [String]
        var plain: [String]
        /// What the host has decided, by origin; missing where there is nothing.
        var decided: [String: OriginMode]?

        private enum CodingKeys: String, CodingKey {
            case mode, intercepted, plain, decided
        }
    }

    /// The most origins of a kind; the one that was noted first goes first.
    static let limit = 1_024

    /// By kind, newest last.
    private var origins: [OriginMode: [WebOrigin]] = [:]
    private var modes: [WebOrigin: OriginMode] = [:]
    /// What the host has decided, which no note pushes out.
    private(set) var decided: [WebOrigin: OriginMode] = [:]

    init() {}

    /// Reads what was kept. What belongs to another mode says nothing, as its pages' storage lies elsewhere; so does
    /// what cannot be read.
    init(_ kept: Data, of mode: InterceptionMode) {
        guard let file = try? JSONDecoder().decode(File.self, from: kept), file.mode == mode.rawValue else { return }
        for (kind, urls) in [(OriginMode.intercepted, file.intercepted), (.plain, file.plain)] {
            for origin in urls.suffix(Self.limit).compactMap({ WebOrigin(url: $0) }) { set(kind, of: origin) }
        }
        for (url, mode) in file.decided ?? [:] {
            if let origin = WebOrigin(url: url) { decided[origin] = mode }
        }
    }

    func data(of mode: InterceptionMode) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(
            File(
                mode: mode.rawValue, intercepted: urls(.intercepted), plain: urls(.plain),
                decided: decided.isEmpty
                    ? nil : Dictionary(decided.map { ($0.key.description, $0.value) }) { $1 }))
    }

    private func urls(_ kind: OriginMode) -> [String] {
        origins[kind, default: []].map(\.description)
    }

    subscript(origin: WebOrigin) -> OriginMode? { modes[origin] }

    /// All, by the origins as texts.
    var all: [String: OriginMode] {
        let recorded = Dictionary(modes.map { ($0.key.description, $0.value) }) { $1 }
        return recorded.merging(decided.map { ($0.key.description, $0.value) }) { $1 }
    }

    /// Notes how an origin opened first; what is known already stays.
    /// - Returns: whether that is news.
    mutating func record(_ mode: OriginMode, of origin: WebOrigin) -> Bool {
        let known = modes[origin]
        // The newest are kept longest, also of those that are opened again.
        set(known ?? mode, of: origin)
        return known == nil
    }

    /// The host's word; `nil` forgets the origin.
    mutating func decide(_ mode: OriginMode?, of origin: WebOrigin) {
        decided[origin] = mode
        if mode == nil { set(nil, of: origin) }
    }

    mutating func set(_ mode: OriginMode?, of origin: WebOrigin) {
        if let old = modes.removeValue(forKey: origin) { origins[old]?.removeAll { $0 == origin } }
        guard let mode else { return }
        modes[origin] = mode
        origins[mode, default: []].append(origin)
        while let first = origins[mode]?.first, origins[mode, default: []].count > Self.limit {
            origins[mode]?.removeFirst()
            modes[first] = nil
        }
    }
}

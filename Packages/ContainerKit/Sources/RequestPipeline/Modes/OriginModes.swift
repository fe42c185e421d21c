// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading
internal import WebEngine

/// The recorded and the configured modes of origins: a value with its JSON coding.
struct OriginModes: Sendable, Hashable {
    private struct File: Codable {
        var mode: String
        var intercepted: [String]
        var plain: [String]
        /// The modes that the host has set, by origin; missing if there are none.
        var decided: [String: OriginMode]?

        private enum CodingKeys: String, CodingKey {
            case mode, intercepted, plain, decided
        }
    }

    /// The maximum number of origins of each recorded mode. If there are more, the least recently opened origin is
    /// removed.
    static let limit = 1_024

    /// The recorded origins by mode, newest last.
    private var origins: [OriginMode: [WebOrigin]] = [:]
    private var modes: [WebOrigin: OriginMode] = [:]
    /// The modes that the host has set. The limit does not apply to them.
    private(set) var decided: [WebOrigin: OriginMode] = [:]

    init() {}

    /// Creates a value from stored data. Data that is invalid or belongs to another mode is ignored, because the pages
    /// of another mode have their storage at another origin.
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

    /// The recorded and the configured modes, by serialized origin.
    var all: [String: OriginMode] {
        let recorded = Dictionary(modes.map { ($0.key.description, $0.value) }) { $1 }
        return recorded.merging(decided.map { ($0.key.description, $0.value) }) { $1 }
    }

    /// Records the first mode of an origin. A mode that is recorded already does not change.
    /// - Returns: `true` if no mode was recorded before.
    mutating func record(_ mode: OriginMode, of origin: WebOrigin) -> Bool {
        let known = modes[origin]
        // Moves an origin that is opened again to the end, so that it is removed last.
        set(known ?? mode, of: origin)
        return known == nil
    }

    /// Sets the mode of an origin, or removes the origin if `mode` is `nil`.
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

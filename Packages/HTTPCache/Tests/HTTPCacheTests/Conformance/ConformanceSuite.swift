// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// The data of http-tests/cache-tests for proxies.
struct ConformanceSuite: Decodable, Sendable {
    let id: String
    let tests: [ConformanceTest]

    /// Loads the suites; returns `nil` if the data is missing.
    static func load() throws -> [ConformanceSuite]? {
        // Packages/HTTPCache/Tests/HTTPCacheTests/Conformance/<this file>
        var root = URL(filePath: #filePath)
        for _ in 0..<6 { root.deleteLastPathComponent() }
        let file = root.appending(path: "../shared/conformance/http-cache/cache-tests.json").standardizedFileURL
        guard let data = try? Data(contentsOf: file) else { return nil }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode([ConformanceSuite].self, from: data)
    }
}

struct ConformanceTest: Decodable, Sendable {
    enum Kind: String, Decodable, Sendable {
        case required, optimal, check
    }

    let id: String
    let kind: Kind
    let dependencies: [String]
    let requests: [ConformanceRequest]
    let isForProxies: Bool

    private enum CodingKeys: String, CodingKey {
        case id, kind, requests, browserOnly, cdnOnly
        case dependencies = "dependsOn"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        kind = try container.decodeIfPresent(Kind.self, forKey: .kind) ?? .required
        dependencies = try container.decodeIfPresent([String].self, forKey: .dependencies) ?? []
        requests = try container.decode([ConformanceRequest].self, forKey: .requests)
        let isBrowserOnly = try container.decodeIfPresent(Bool.self, forKey: .browserOnly) ?? false
        let isCDNOnly = try container.decodeIfPresent(Bool.self, forKey: .cdnOnly) ?? false
        isForProxies = !isBrowserOnly && !isCDNOnly
    }
}

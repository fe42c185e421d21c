// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// Where tables come from.
public struct TableEndpoints: Sendable, Hashable {
    /// Which of the two mirrors belongs to this build of the app.
    public enum Environment: String, Sendable, Hashable, Codable {
        case test
        case production
    }

    /// The server's address.
    public var primary: TableURL
    /// The mirror of the test environment; `nil` where there is none.
    public var testMirror: TableURL?
    /// The mirror of the production environment; `nil` where there is none.
    public var productionMirror: TableURL?
    /// Chooses the mirror. Default: production.
    public var environment: Environment
    /// The query parameter of the primary that carries the version of the local table. Default: `nil`, for none: the
    /// server then always sends its table.
    public var versionParameter: String?

    public init(
        primary: TableURL, testMirror: TableURL? = nil, productionMirror: TableURL? = nil,
        environment: Environment = .production, versionParameter: String? = nil
    ) {
        self.primary = primary
        self.testMirror = testMirror
        self.productionMirror = productionMirror
        self.environment = environment
        self.versionParameter = versionParameter
    }

    /// The mirror of the environment.
    public var mirror: TableURL? {
        switch environment {
        case .test: testMirror
        case .production: productionMirror
        }
    }

    /// The address to ask.
    /// - Parameter localVersion: of the local table, where there is one.
    /// - Returns: `nil` for a mirror where there is none.
    func url(of source: TableSource, localVersion: String?) -> TableURL? {
        guard source == .primary else { return mirror }
        guard let versionParameter, let localVersion else { return primary }
        let query = [versionParameter, localVersion]
            .map { PercentEncoding.encode($0, keeping: .unreserved) }.joined(separator: "=")
        let separator = primary.description.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return TableURL(primary.description + separator + query) ?? primary
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The sources of tables.
public struct TableEndpoints: Sendable, Hashable {
    /// The environment of this build of the app, which selects the mirror.
    public enum Environment: String, Sendable, Hashable, Codable {
        case test
        case production
    }

    /// The address of the server.
    public var primary: TableURL
    /// The mirror of the test environment, or `nil` if there is none.
    public var testMirror: TableURL?
    /// The mirror of the production environment, or `nil` if there is none.
    public var productionMirror: TableURL?
    /// The environment that selects the mirror. Default: production.
    public var environment: Environment
    /// The query parameter of the primary for the version of the local table.
    ///
    /// If `nil`, the default, the version is not sent, so the server always sends its table.
    public var versionParameter: String?

    /// Creates endpoints.
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

    /// The mirror of the environment, or `nil` if there is none.
    public var mirror: TableURL? {
        switch environment {
        case .test: testMirror
        case .production: productionMirror
        }
    }

    /// Returns the URL of a source.
    /// - Parameters:
    ///   - source: the source to request.
    ///   - localVersion: the version of the local table, or `nil` if there is none.
    /// - Returns: the URL, or `nil` if the source is a mirror that is not configured.
    func url(of source: TableSource, localVersion: String?) -> TableURL? {
        guard source == .primary else { return mirror }
        guard let versionParameter, let localVersion else { return primary }
        let query = [versionParameter, localVersion]
            .map { PercentEncoding.encode($0, keeping: .unreserved) }.joined(separator: "=")
        let separator = primary.description.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
        return TableURL(primary.description + separator + query) ?? primary
    }
}

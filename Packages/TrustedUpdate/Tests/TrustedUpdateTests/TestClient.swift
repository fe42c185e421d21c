// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import Testing

@testable import TrustedUpdate

/// The documents below the URL of a repository's metadata, and the requests for them.
final class TestServer: Sendable {
    /// A request for a document.
    struct Request: Sendable, Equatable {
        /// The URL of the document, relative to the URL of the metadata.
        let name: String
        let maxBytes: Int
    }

    private struct State {
        var documents: [String: Data] = [:]
        var requests: [Request] = []
        var onRequest: (@Sendable (String) throws -> Void)?
    }

    static let url = "https://updates.example/metadata/"
    private let state = Mutex(State())

    /// The documents by their URL relative to the URL of the metadata.
    var documents: [String: Data] {
        get { state.withLock { $0.documents } }
        set { state.withLock { $0.documents = newValue } }
    }

    /// Sets a closure that receives the name of each requested document and can fail the request.
    func onRequest(_ action: @escaping @Sendable (String) throws -> Void) {
        state.withLock { $0.onRequest = action }
    }

    /// Returns the recorded requests and removes them.
    func takeRequests() -> [Request] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    /// Returns the names of the recorded requests and removes the requests.
    func takeNames() -> [String] { takeRequests().map(\.name) }

    /// Returns a document, cut after one byte more than the maximum, or `nil` if there is none.
    func load(_ url: String, _ maxBytes: Int) throws -> Data? {
        guard url.hasPrefix(Self.url) else {
            Issue.record("a request outside of the metadata: \(url)")
            return nil
        }
        let name = String(url.dropFirst(Self.url.count))
        let (document, action) = state.withLock { state in
            state.requests.append(Request(name: name, maxBytes: maxBytes))
            return (state.documents[name], state.onRequest)
        }
        try action?(name)
        return document.map { Data($0.prefix(maxBytes + 1)) }
    }
}

/// A client with a folder of its own, whose initial root is version 1 of a repository.
struct TestClient {
    let folder: TemporaryFolder
    let server: TestServer
    var limits = TrustLimits()

    /// Creates a client that trusts the first root of a repository.
    init(_ repository: TestRepository) throws {
        folder = try TemporaryFolder()
        server = repository.server
        guard let root = server.documents["1.root.json"] else { throw CocoaError(.fileReadNoSuchFile) }
        try TrustedRepository.resetTrust(to: root, folder: folder.path)
    }

    /// Runs a refresh as a new process would: with nothing but the stored files.
    @discardableResult
    func refresh(now: Date = TestRepository.now) async throws -> TrustedTargets {
        let server = self.server
        let repository = TrustedRepository(
            folder: folder.path, metadataURL: TestServer.url, limits: limits, load: { try server.load($0, $1) })
        return try await repository.refresh(now: now)
    }

    /// Returns the code of the error of a refresh, or `nil` if it succeeds.
    func refreshFailure(now: Date = TestRepository.now) async throws -> TrustError.Code? {
        try await failure { try await refresh(now: now) }
    }

    /// Returns a target after a refresh.
    func target(_ path: String) async throws -> TrustedTarget? {
        try await refresh().target(path)
    }

    /// Returns the stored metadata of a role, or `nil` if there is none.
    func stored(_ role: String) -> Data? {
        FileManager.default.contents(atPath: "\(folder.path)/\(TestRepository.fileName(of: role))")
    }

    /// Returns the version of the stored metadata of a role, or `nil` if there is none.
    func version(_ role: String) throws -> Int? {
        guard let data = stored(role) else { return nil }
        let document = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return (document?["signed"] as? [String: Any])?["version"] as? Int
    }

    /// Returns the versions of the stored top-level roles: root, timestamp, snapshot, targets. 0 stands for no file.
    func versions() throws -> [Int] {
        try TestRepository.topLevelRoles.map { try version($0) ?? 0 }
    }
}

/// Returns the code of the `TrustError` that a closure throws, or `nil` if it succeeds.
/// - Throws: any other error.
func failure(_ body: () async throws -> some Any) async throws -> TrustError.Code? {
    do {
        _ = try await body()
        return nil
    } catch let error as TrustError {
        return error.code
    }
}

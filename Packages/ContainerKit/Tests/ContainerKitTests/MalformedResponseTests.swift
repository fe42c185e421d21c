// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import ContainerTesting
import Foundation
import HTTPTransport
import NIOTransport
import PackageUpdates
import ResourceLoading
import ResourceStore
import ResourceTable
import Testing
import WebEngine
import WebEngineTesting

@testable import OfflinePackage

/// Responses with a malformed head, for each kind of download of a container, through the real transport.
@MainActor
@Suite("Malformed responses to a container", .timeLimit(.minutes(2)))
struct MalformedResponseTests {
    private let fixture = Fixture()

    private func transport(trusting origin: MalformedOrigin) throws -> AsyncHTTPTransport {
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.authorities = try origin.authorityPEM.map { [try CertificateAuthority(pem: $0)] } ?? []
        return AsyncHTTPTransport(configuration)
    }

    @Test("A manifest fails with a typed error, and pages still work", arguments: MalformedOrigin.Version.allCases)
    func manifest(version: MalformedOrigin.Version) async throws {
        try await MalformedOrigin.with(version) { origin in
            let transport = try transport(trusting: origin)
            let container = try await fixture.container(covering: ["127.0.0.1"]) {
                $0.network.transport = transport
                // Avoids the waits between attempts.
                $0.packages.updates.downloads.retry.failuresInARow = 1
            }
            for response in version.responses {
                await #expect(throws: DeliveryError.self, "\(response)") {
                    try await container.update(from: PackageSource(origin.url(of: response)))
                }
                #expect(try await page(container, origin) == MalformedOrigin.good, "\(response)")
            }
            await container.shutDown()
            try await transport.shutDown()
        }
    }

    /// Returns the body of a page's request for a valid response.
    private func page(_ container: Container<FakeEngine>, _ origin: MalformedOrigin) async throws -> String {
        try await fixture.text("\(scheme(origin))://127.0.0.1:\(origin.port)/good", of: container)
    }

    private func scheme(_ origin: MalformedOrigin) -> String {
        origin.authorityPEM == nil ? "containerkit-http" : "containerkit"
    }

    @Test("A page's request fails, and the next request succeeds", arguments: MalformedOrigin.Version.allCases)
    func pages(version: MalformedOrigin.Version) async throws {
        try await MalformedOrigin.with(version) { origin in
            let transport = try transport(trusting: origin)
            let container = try await fixture.container(covering: ["127.0.0.1"]) { $0.network.transport = transport }
            for response in version.responses {
                let url = "\(scheme(origin))://127.0.0.1:\(origin.port)/bad/\(response.name)"
                let (_, record) = try await fixture.answer(to: url, of: container)
                guard case .failed(let error) = record.outcome else {
                    Issue.record("\(response): \(record.outcome)")
                    continue
                }
                #expect(error.code == .connectionLost, "\(response): \(error)")
                #expect(try await page(container, origin) == MalformedOrigin.good, "\(response)")
            }
            await container.shutDown()
            try await transport.shutDown()
        }
    }

    @Test("A resource table fails with a typed error", arguments: MalformedOrigin.Version.allCases)
    func table(version: MalformedOrigin.Version) async throws {
        let json = #"{"code":200,"data":{"version":"1","update":true,"resourcemap":{}}}"#
        let files = ["/table": MalformedOrigin.File("application/json", json)]
        try await MalformedOrigin.with(version, files: files) { origin in
            let transport = try transport(trusting: origin)
            for (number, response) in version.responses.enumerated() {
                let result = try await check(origin.url(of: response), number, by: transport)
                guard case .failed(let error) = result else {
                    Issue.record("\(response): \(result)")
                    continue
                }
                #expect(error.code == .noAnswer, "\(response): \(error)")
            }
            guard case .replaced = try await check("\(origin.url)/table", 1_000, by: transport) else {
                Issue.record("no table")
                return
            }
            try await transport.shutDown()
        }
    }

    /// Requests a table with a separate library, and returns the result.
    private func check(
        _ url: String, _ number: Int, by transport: AsyncHTTPTransport
    ) async throws -> TableCheckResult {
        let store = try BlobStore(directory: "\(fixture.folder)/table-\(number)")
        let endpoints = TableEndpoints(primary: try #require(TableURL(url)))
        let library = try await TableLibrary(
            store: TableStore(store), network: NetworkLoader(transport),
            configuration: TableLibrary.Configuration(endpoints: endpoints))
        return try await library.check(.launch)
    }

    @Test("Remote config fails, and the container opens", arguments: MalformedOrigin.Version.allCases)
    func remoteConfig(version: MalformedOrigin.Version) async throws {
        try await MalformedOrigin.with(version) { origin in
            let transport = try transport(trusting: origin)
            for response in version.responses {
                var source = RemoteConfigSource(url: origin.url(of: response))
                source.allowsInsecure = true
                let options = RemoteConfigOptions(source: source)
                let container = try await fixture.container(covering: ["127.0.0.1"], on: FakeEngine()) {
                    $0.network.transport = transport
                    $0.remote = options
                    $0.directory = "\(fixture.folder)/\(response.name)"
                }
                // If the check does not end, the time limit ends the test.
                while container.counters.remoteConfig?.failures != 1 {
                    try Task.checkCancellation()
                    await Task.yield()
                }
                #expect(container.remoteConfig?.document == nil && container.remoteConfig?.isEnabled == true)
                await container.shutDown()
            }
            try await transport.shutDown()
        }
    }
}

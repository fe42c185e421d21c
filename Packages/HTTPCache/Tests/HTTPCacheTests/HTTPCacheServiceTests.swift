// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import Logging
import ResourceLoading
import Testing
import WebSyntax

@testable @_spi(Facade) import HTTPCache

/// The levels of a container's cache and their life cycle, without a container.
@Suite("HTTP cache of a container", .timeLimit(.minutes(1)))
struct HTTPCacheServiceTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/cache-\(UUID().uuidString)"

    private func service(
        _ origin: ScriptedOrigin, _ change: (inout HTTPCacheOptions) -> Void = { _ in }
    ) async throws -> HTTPCacheService {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var options = HTTPCacheOptions(rules: CachingLoader.Configuration())
        change(&options)
        return await HTTPCacheService(options, directory: folder, network: origin, logger: Logger(label: "test"))
    }

    private func origin(_ text: String = "one") -> ScriptedOrigin {
        ScriptedOrigin([.cacheControl: "max-age=600"], text)
    }

    private func sendRequest(_ service: HTTPCacheService) async throws -> (text: String, source: Provenance.Source) {
        let answer = try await service.loader.text(.get(page: "https://a.test/"))
        return (answer.text, answer.response.provenance.source)
    }

    private func removeFolder() { try? FileManager.default.removeItem(atPath: folder) }

    @Test("A cache without disk bytes removes the responses of earlier caches")
    func noDisk() async throws {
        defer { removeFolder() }
        let origin = origin()
        for bytes in [1 << 20, 0, 1 << 20] as [Int64] {
            var service: HTTPCacheService? = try await service(origin) { $0.diskBytes = bytes }
            if let service { #expect(try await sendRequest(service).source == .network) }
            await service?.shutDown()
            service = nil
        }
        #expect(origin.count == 3)
    }

    @Test("A new cache of the same folder serves stored responses from disk")
    func restart() async throws {
        defer { removeFolder() }
        var service: HTTPCacheService? = try await service(origin())
        if let service { _ = try await sendRequest(service) }
        await service?.shutDown()
        service = nil
        let next = try await self.service(origin("two"))
        let answer = try await sendRequest(next)
        #expect(answer.text == "one" && answer.source == .disk)
        #expect(next.counters.requests.diskHits == 1 && next.counters.isOnDisk)
        await next.shutDown()
    }

    @Test("Nothing is written during a suspension, and the cache works again afterwards")
    func suspension() async throws {
        defer { removeFolder() }
        let service = try await service(origin())
        // A response is complete before it is on disk.
        repeat { service.releaseMemory() } while try await sendRequest(service).source != .disk
        await service.suspend()
        #expect(try await sendRequest(service).text == "one")
        // The lock is released.
        _ = try DiskCacheStore(directory: folder + "/http-cache")
        await service.resume()
        service.releaseMemory()
        #expect(service.counters.memoryBytes == 0)
        #expect(try await sendRequest(service).source == .disk)
        await service.removeAll()
        #expect(try await sendRequest(service).source == .network)
        await service.shutDown()
    }

    @Test("A cache without disk bytes creates no folder, and a cache with an unusable folder is in memory only")
    func memoryAlone() async throws {
        defer { removeFolder() }
        for change in [
            { (options: inout HTTPCacheOptions) in options.diskBytes = 0 },
            { options in options.directory = "/dev/null/cache" },
        ] {
            let service = try await service(origin(), change)
            await service.removeAll()
            _ = try await sendRequest(service)
            #expect(try await sendRequest(service).source == .memory)
            #expect(!service.counters.isOnDisk)
            #expect(!FileManager.default.fileExists(atPath: folder + "/http-cache"))
            await service.shutDown()
        }
    }

    @Test("Without memory bytes, all responses come from disk")
    func diskAlone() async throws {
        defer { removeFolder() }
        let service = try await service(origin()) { $0.memoryBytes = 0 }
        _ = try await sendRequest(service)
        #expect(try await sendRequest(service).source == .disk)
        await service.shutDown()
    }

    @Test("A site is the scheme and the registrable domain, or the host if there is none")
    func sites() {
        struct Suffixes: PublicSuffixing {
            func registrableDomain(of host: String) -> String? {
                host.hasSuffix("shop.test") ? "shop.test" : nil
            }
        }
        let sites = RegistrableDomainPartitioning(Suffixes())
        #expect(sites.site(of: "https://www.shop.test:8443/a?b") == "https://shop.test")
        #expect(sites.site(of: "https://shop.test/") == "https://shop.test")
        #expect(sites.site(of: "http://www.shop.test/") == "http://shop.test")
        #expect(sites.site(of: "https://127.0.0.1/") == "https://127.0.0.1")
        #expect(sites.site(of: "about:blank") == "")
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import Prefetch
internal import ResourceLoading
internal import SchemeRouter
internal import WebKitGTKAdapter

// The memory of the app's process.
extension EngineCheck {
    private static let page = "https://page.example/"
    /// The numbers of prefetched and of requested files, and the size of a file in bytes. All files are cacheable.
    private static let (ahead, asked, size) = (32, 320, 256 << 10)
    /// An allowance in MB beyond the shares of the caches: a piece of each request, tables, and freed memory of the
    /// allocator.
    private static let slack = 24.0

    /// Checks that unlimited caches respect a small memory ceiling and use a large one.
    @MainActor
    func checkMemoryCeiling(in folder: String) async throws {
        let small = try await growth(ceiling: 16 << 20, in: folder + "/small")
        let large = try await growth(ceiling: 512 << 20, in: folder + "/large")
        print(String(format: "grown by %.1f MB of a ceiling of 16, and by %.1f MB of one of 512", small, large))
        try expect(small < 16 + Self.slack, "grown by \(small) MB")
        // The large growth shows that the ceiling, and not the load, limits the small growth.
        try expect(large > 60, "nothing is kept: grown by \(large) MB")
    }

    /// Returns the growth of the app's process in MB while a page requests more than the caches can hold.
    @MainActor
    private func growth(ceiling: Int, in folder: String) async throws -> Double {
        let table = """
            {"code":200,"data":{"version":"1","config":[{"url":"\(Self.page)","interfaces":
            [\((0..<Self.ahead).map { #"{"api":"\#(Self.page)ahead/\#($0)"}"# }.joined(separator: ","))]}]}}
            """
        var configuration = ContainerConfiguration(directory: folder)
        configuration.network.cookies.native = .none
        configuration.network.transport = MemoryTransport { request in
            guard let path = request.path, path != "/" else { return .page("<title>page</title>") }
            var answer = TransportResponse.page("")
            answer.head.headerFields[.cacheControl] = "max-age=600"
            answer.body = .bytes(Data(repeating: UInt8(path.utf8.reduce(0, &+)), count: Self.size))
            return answer
        }
        configuration.pages.mode = .customScheme
        configuration.network.coveredHosts = ["page.example"].compactMap { HostPattern($0) }
        configuration.storage.memoryCeiling = ceiling
        configuration.network.httpCache?.memoryBytes = .max
        configuration.network.httpCache?.diskBytes = 0
        configuration.network.prefetch = PrefetchOptions()
        configuration.network.prefetch?.loader.maxBytes = .max
        configuration.network.prefetch?.table = try PrefetchTable(json: Data(table.utf8))
        let container = try await Container(engine: WebKitGTKEngine(), configuration: configuration)
        // The engine's libraries have allocated their memory after the first page.
        await container.close(try await open("https://page.example/first", in: container))
        let before = try familyMemory().own
        let page = try await open(Self.page, in: container)
        let bytes = try await page.view.evaluate(
            """
            let bytes = 0;
            for (let file = 0; file < \(Self.asked); file++)
                bytes += (await (await fetch(`/asked/${file}`)).arrayBuffer()).byteLength;
            return bytes;
            """, in: .page)
        try expect(bytes == "\(Self.asked * Self.size)", "requested \(bytes) bytes")
        let growth = try familyMemory().own - before
        let counters = container.counters
        // Each cache has content: the prefetch cache holds all files or its share.
        let failures = counters.prefetch?.failures ?? 0
        try expect(
            counters.prefetch?.started == Self.ahead && (counters.httpCache?.memoryBytes ?? 0) > ceiling / 16
                && (Self.ahead - failures) * Self.size <= ceiling / 16 && (failures > 0) == (ceiling < 64 << 20),
            "\(counters)")
        await container.close(page)
        await container.shutDown()
        return growth
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContentDigest
import Foundation
import HTTPTypes
import PackageUpdates
import ResourceLoading
import Testing

@_spi(Facade) @testable import ResourceStore
@_spi(Facade) @testable import ResourceTable

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Processes that are killed while files get new keys, because the download URLs of their entries have changed.
@Suite("Moved files of killed processes", .timeLimit(.minutes(5)))
struct TableKillTests {
    /// Small files, which are stored in database rows, and a large one, which is stored as a file.
    private static let files = [
        "a.js": "small a", "b.js": String(repeating: "large b ", count: 20_000), "c.js": "small c",
    ]

    /// Returns a server of a table and, if `hasFiles` is true, of its files. The entries of two tables differ in their
    /// download URLs alone.
    private static func server(_ version: String, hasFiles: Bool = false) -> TableStoreTests.Server {
        let server = TableStoreTests.Server()
        let entries = files.sorted { $0.key < $1.key }.map { path, text in
            """
            "https://m.example/\(path)":{"version":"1","md5":"\(MD5Digest(of: Data(text.utf8)))",
            "download":"\(TableStoreTests.Server.key(version, path))","ctype":"text/javascript"}
            """
        }
        let table =
            #"{"code":200,"data":{"version":"\#(version)","update":true,"resourcemap":{"#
            + entries.joined(separator: ",") + "}}}"
        server.state.withLock { state in
            state.answers["https://m.example/table"] = Data(table.utf8)
            guard hasFiles else { return }
            for (path, text) in files { state.answers[TableStoreTests.Server.key(version, path)] = Data(text.utf8) }
        }
        return server
    }

    private static func open(
        _ store: BlobStore, _ server: TableStoreTests.Server, at time: TimeInterval
    ) async throws -> TableLibrary {
        let primary = try #require(TableURL("https://m.example/table"))
        var configuration = TableLibrary.Configuration(endpoints: TableEndpoints(primary: primary))
        configuration.scope = .unlimited
        return try await TableLibrary(
            store: TableStore(store), network: server, configuration: configuration,
            now: { Date(timeIntervalSince1970: time) })
    }

    /// Checks the table until the process is killed: at a step of the store, or when the files have their keys.
    /// - Parameters:
    ///   - path: the folder of the store. `PATH.done` is written if the check ends.
    ///   - version: the version of the table.
    ///   - step: the number of the step of the store, from 0.
    static func work(in path: String, version: String, until step: Int) async throws {
        let count = Mutex(0)
        let store = try BlobStore(directory: path, configuration: .init()) { _ in
            let isOver = count.withLock { count in
                defer { count += 1 }
                return count == step
            }
            if isOver { kill(getpid(), SIGKILL) }
        }
        let server = Self.server(version, hasFiles: version == "1")
        let library = try await open(store, server, at: version == "1" ? 1_000_000 : 2_000_000)
        guard case .replaced = try await library.check(.launch) else { throw CocoaError(.featureUnsupported) }
        await library.downloadPending()
        // Nothing is fetched that the store has.
        guard version == "1" || server.drainRequested().isEmpty else { throw CocoaError(.featureUnsupported) }
        try Data().write(to: URL(fileURLWithPath: path + ".done"))
        kill(getpid(), SIGKILL)
    }

    /// Expects that a library has the content of all files without a request for them, and no other files.
    private func expectWhole(
        _ library: TableLibrary, _ store: BlobStore, _ server: TableStoreTests.Server
    ) async throws {
        let version = try #require(library.table?.version)
        for (path, text) in Self.files {
            let head = try #require(HTTPRequest(method: .get, urlText: "https://m.example/\(path)"))
            let response = try #require(try await TableLoader(library).load(ResourceRequest(head)))
            #expect(try await response.body.collect(upTo: 1 << 20) == Data(text.utf8))
        }
        #expect(server.drainRequested() == [])
        let keys = Self.files.keys.sorted().map { TableStoreTests.Server.key(version, $0) }
        #expect(try store.resources().map(\.key) == keys)
        #expect(try store.check().isSound)
    }

    @Test("A kill at any step leaves each file under its former or its new key, and nothing is fetched again")
    func kills() async throws {
        let folder = try TemporaryFolder()
        let original = folder.path + "/original"
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = original as String] in
            try await TableKillTests.work(in: path, version: "1", until: .max)
        }
        #expect(FileManager.default.fileExists(atPath: original + ".done"))
        var versions: [String] = []
        var path = original
        while !FileManager.default.fileExists(atPath: path + ".done") || versions.isEmpty {
            let step = versions.count
            path = folder.path + "/\(step)"
            try FileManager.default.copyItem(atPath: original, toPath: path)
            await #expect(processExitsWith: .signal(SIGKILL), "step \(step)") {
                [path = path as String, step = step as Int] in
                try await TableKillTests.work(in: path, version: "2", until: step)
            }
            let store = try BlobStore(directory: path, configuration: .init())
            let server = Self.server("2")
            let library = try await Self.open(store, server, at: 3_000_000)
            versions.append(try #require(library.table?.version))
            try await expectWhole(library, store, server)
            _ = try await library.check(.launch)
            await library.downloadPending()
            #expect(library.table?.version == "2")
            try await expectWhole(library, store, server)
            try #require(step < 100)
        }
        // Some kills were before the new table was stored, and others after it.
        #expect(versions.first == "1" && versions.last == "2" && versions == versions.sorted())
        #expect(versions.filter { $0 == "1" }.count >= 2 && versions.filter { $0 == "2" }.count >= 2)
    }
}

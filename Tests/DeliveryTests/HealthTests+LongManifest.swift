// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Dispatch
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@testable import OfflinePackage

// Reports during long work.
extension HealthTests {
    /// Manifests are read on the library's thread. While the thread is busy, the updater still handles reports.
    @Test func reportsDoNotWaitForManifest() async throws {
        try await run { (_, updater) async throws in
            let (steps, step) = AsyncStream<Void>.makeStream()
            var order = steps.makeAsyncIterator()
            let busy = Busy()
            let library = depot.library
            let folder = depot.folder.path
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await library.onThread { _ in
                        step.yield()
                        busy.end.wait()
                    }
                }
                await order.next()
                group.addTask {
                    step.yield()
                    do {
                        _ = try await updater.install(archive: folder, manifest: folder + "/none.json")
                        Issue.record("a package without a manifest was installed")
                    } catch is PackageError {
                        #expect(busy.isOver.withLock { $0 }, "the manifest was read on the updater's actor")
                    }
                }
                await order.next()
                var elsewhere = page()
                elsewhere.documentURL = "https://other.example/"
                // If the actor read the manifest, the manifest would be read before these reports.
                for _ in 0..<1_000 { await updater.record(BootReport(.began, of: elsewhere)) }
                busy.isOver.withLock { $0 = true }
                busy.end.signal()
                try await group.waitForAll()
            }
        }
    }
}

/// A thread that is busy until it is signalled.
private final class Busy: Sendable {
    let end = DispatchSemaphore(value: 0)
    let isOver = Mutex(false)
}

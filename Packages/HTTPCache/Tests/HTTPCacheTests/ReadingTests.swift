// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Dispatch
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct ReadingTests {
    private let directory: TemporaryFolder

    init() throws {
        directory = try TemporaryFolder()
    }

    @Test("Look-ups and reads do not wait for writers")
    func reading() async throws {
        let store = try DiskCacheStore(directory: directory.path)
        let key = CacheKey(partition: "", url: "https://a.test/")
        let small = StoredResponse(
            head: HTTPResponse(status: .ok), selectors: [], requestTime: Date(timeIntervalSince1970: 1_000),
            responseTime: Date(timeIntervalSince1970: 1_000), range: 0..<5, length: 5)
        let writer = store.makeWriter(for: key)
        _ = await writer.write(Data("hello".utf8))
        await writer.finish(small)
        let (began, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let busy: Void = store.changes.run {
            began.signal()
            end.wait()
        }
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "began").async {
                began.wait()
                continuation.resume()
            }
        }
        // A look-up that waits for the writer would never return.
        #expect(await store.responses(for: key) == [small])
        #expect(await store.body(of: small, for: key) != nil)
        #expect(await store.body(of: small, for: key) != nil)
        end.signal()
        await busy
    }
}

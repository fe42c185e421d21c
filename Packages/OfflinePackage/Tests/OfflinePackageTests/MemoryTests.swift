// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import PackageFormat
import Testing

@testable import OfflinePackage

@Suite(.timeLimit(.minutes(1)))
struct MemoryTests {
    @Test func tablesAreForgottenAndReadAgain() async throws {
        let fixture = try Fixture()
        try await fixture.install(["index.html": "home"], version: "1")
        let generation = try #require(fixture.library.activeGeneration(of: PackageID("shop")))
        #expect(generation.hasTable)
        fixture.library.releaseMemory()
        #expect(!generation.hasTable)
        #expect(try await fixture.get("https://shop.example/") == "home")
        #expect(generation.hasTable)
    }
}

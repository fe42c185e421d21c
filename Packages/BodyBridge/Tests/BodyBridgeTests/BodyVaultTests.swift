// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import ResourceLoading
import Testing

@testable import BodyBridge

@Suite(.timeLimit(.minutes(1)))
struct BodyVaultTests {
    private let id: BodyID

    init() throws {
        id = try #require(BodyID(String(repeating: "a", count: 32)))
    }

    @Test func aBodyIsTakenOnce() async throws {
        let vault = BodyVault()
        try vault.putNow(Data("one ".utf8), at: 0, of: id)
        let body = try vault.take(id, length: 7)
        #expect(throws: ResourceError.self) { try vault.take(id, length: 7) }
        try await vault.put(Data("two".utf8), at: 4, of: id)
        #expect(try await body.collect(upTo: 100) == Data("one two".utf8))
        #expect(vault.bytes == 0 && vault.count == 0)
    }
}

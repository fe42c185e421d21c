// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ResourceLoading
import Testing

@_spi(Fuzzing) @testable import BodyBridge

@Suite("Bridge headers")
struct BridgeHeaderTests {
    private static let id = String(repeating: "0f", count: 16)

    @Test("All forms of the header are parsed")
    func forms() throws {
        let id = try #require(BodyID(Self.id))
        #expect(BridgeHeader("plain")?.purpose == .plain)
        #expect(BridgeHeader("none omit")?.credentials == .omit)
        #expect(BridgeHeader("take \(Self.id) 12 keep include")?.purpose == .relayed(id, length: 12))
        #expect(BridgeHeader("take \(Self.id) 12 keep include")?.isKeptAlive == true)
        #expect(BridgeHeader("take \(Self.id) 12 keep include")?.credentials == .include)
        #expect(BridgeHeader("take \(Self.id) 12 \(Self.id)")?.id == id)
        #expect(BridgeHeader("none \(Self.id)")?.followsRedirects == true)
        #expect(BridgeHeader("plain include 1500 \(Self.id)")?.timeLimit == .milliseconds(1_500))
        #expect(BridgeHeader("none manual \(Self.id)")?.followsRedirects == false)
        #expect(BridgeHeader("store \(Self.id) 0")?.purpose == .store(id, offset: 0))
        #expect(BridgeHeader("ask")?.purpose == .ask)
    }

    @Test(
        "Any other text is no bridge header",
        arguments: [
            "", " ", "plain ", " plain", "plain plain", "plain  keep", "take", "take \(id)", "take \(id) -1",
            "take \(id) 99999999999999999999", "take \(id.uppercased()) 1", "take x 1", "store \(id) 0 keep",
            "ask keep", "ask \(id)", "none 1 2", "none -1",
            "none 99999999999", "none \(id) \(id)",
            "store \(id) 0 manual",
            "Plain", "plain keep x", "none\u{0}", String(repeating: "plain ", count: 100),
        ])
    func others(_ text: String) {
        #expect(BridgeHeader(text) == nil)
    }
}

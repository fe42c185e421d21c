// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@testable import DocumentInterception

@Suite("HeldPaths")
struct HeldPathsTests {
    @Test("hashes are FNV-1a", arguments: [("", 0x811c_9dc5), ("a", 0xe40c_292c), ("foobar", 0xbf9c_f968)])
    func hash(text: String, hash: UInt32) {
        #expect(HeldPaths.hash(of: text.utf8) == hash)
    }

    @Test("paths are decoded and grouped by origin; an index stands for its folder")
    func contents() {
        let paths = HeldPaths(files: [
            "https://shop.example/a%20b.js", "https://shop.example/docs/index.html", "http://cdn.example:8080/x.css",
        ])
        #expect(
            paths.hashes == [
                "https://shop.example": base64("/a b.js", "/docs/index.html", "/docs/"),
                "http://cdn.example:8080": base64("/x.css"),
            ])
    }

    @Test("at most 20,000 paths are contained")
    func limit() throws {
        let paths = HeldPaths(files: (0..<20_001).map { "https://shop.example/\($0)" })
        let data = try #require(Data(base64Encoded: paths.hashes["https://shop.example", default: ""]))
        #expect(data.count == 80_000)
    }

    private func base64(_ paths: String...) -> String {
        var data = Data()
        for path in paths {
            withUnsafeBytes(of: HeldPaths.hash(of: path.utf8).littleEndian) { data.append(contentsOf: $0) }
        }
        return data.base64EncodedString()
    }
}

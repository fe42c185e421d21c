// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import ProgramTesting
import Testing

extension RealEngine {
    /// `container-browser run`, page after page.
    @Suite("Scripted runs", .timeLimit(.minutes(3)))
    struct RunTests {
        @Test(
            "Each page gets a line; one that hangs or fails does not stop the others", arguments: ["plain", "scheme"])
        func lines(mode: String) async throws {
            let shop = try await Shop(faults: "stall:/stalled.html,reset:/reset.html")
            try shop.folder.write("site/other.html", "<title>Other</title>".utf8)
            let names = ["index.html", "stalled.html", "reset.html", "other.html"]
            try shop.folder.write("urls.txt", names.map { "\(shop.origin.url)/\($0)\n" }.joined().utf8)
            let outcome = try await Program("container-browser").run(
                "run", "--urls", "urls.txt", "--mode", mode, "--print", "document.title", "--timeout", "8", "--out",
                "lines.ndjson", in: shop.folder.path)
            await shop.origin.stop()
            #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome.errors)")
            let text = try String(contentsOfFile: shop.folder.path + "/lines.ndjson", encoding: .utf8)
            let lines = try text.split(separator: "\n").map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
            try #require(lines.count == 4, "\(text)")
            #expect(lines.map { $0["url"] as? String } == names.map { "\(shop.origin.url)/\($0)" })
            #expect(lines[0]["value"] as? String == "Shop" && lines[0]["timedOut"] as? Bool == false)
            #expect(lines[1]["timedOut"] as? Bool == true)
            #expect(lines[2]["error"] is String && lines[2]["timedOut"] as? Bool == false)
            #expect(lines[3]["value"] as? String == "Other")
        }
    }
}

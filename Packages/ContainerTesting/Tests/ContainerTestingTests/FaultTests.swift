// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import ContainerTesting

@Suite("The text form of faults", .timeLimit(.minutes(1)))
struct FaultTests {
    @Test("Every kind is parsed")
    func kinds() throws {
        let faults = try Fault.parse(
            "reset:/a,reset=10:/a,stall:/b,stall=0:/b,status=503:/c/*,truncate=1000:*.js,delay=2000:/d")
        #expect(
            faults.map(\.kind) == [
                .reset(after: nil), .reset(after: 10), .stall(after: nil), .stall(after: 0), .status(503),
                .truncate(after: 1_000), .delay(.seconds(2)),
            ])
        #expect(faults.map(\.path.description) == ["/a", "/a", "/b", "/b", "/c/*", "*.js", "/d"])
    }

    @Test(
        "An invalid fault is reported",
        arguments: [
            "", "reset", "reset:", "reset:a", "explode:/a", "status:/a", "status=:/a", "status=99:/a", "status=600:/a",
            "truncate:/a", "truncate=-1:/a", "truncate=1x:/a", "delay=600001:/a", "delay=9999999999999:/a", "reset:/a,",
            "reset:/a b", "reset:/ä", ":/a", "=1:/a",
        ])
    func invalid(_ text: String) {
        #expect {
            try Fault.parse(text)
        } throws: { error in
            (error as? ContainerTestingError)?.code == .invalidFault
        }
    }

    @Test("A list that exceeds the limits is refused")
    func limits() {
        #expect(throws: ContainerTestingError.self) {
            try Fault.parse(Array(repeating: "reset:/a", count: 65).joined(separator: ","))
        }
        #expect(throws: ContainerTestingError.self) {
            try Fault.parse("reset:/" + String(repeating: "a", count: 5_000))
        }
    }

    @Test(
        "A star matches any sequence of characters",
        arguments: [
            ("/a", "/a", true), ("/a", "/a/", false), ("/a*", "/a/b/c.js", true), ("*.js", "/x/y.js", true),
            ("*.js", "/x/y.json", false), ("/a*b*c", "/abxbc", true), ("/a*b*c", "/acb", false), ("*", "/", true),
            ("/**", "/", true), ("/a*", "/", false),
        ])
    func glob(_ pattern: String, _ path: String, _ matches: Bool) throws {
        let pattern = try #require(OriginPathPattern(pattern))
        #expect(pattern.matches(path) == matches)
    }

    @Test("The time to match a hostile pattern is bounded")
    func hostile() throws {
        let pattern = try #require(OriginPathPattern("/" + String(repeating: "a*", count: 400) + "b"))
        #expect(!pattern.matches("/" + String(repeating: "a", count: 4_000)))
    }
}

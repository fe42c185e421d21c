// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct RangeTests {
    @Test("A range is resolved against the length")
    func resolved() {
        #expect(ByteRange("bytes=2-4")?.resolved(in: 10) == 2..<5)
        #expect(ByteRange("Bytes=2-")?.resolved(in: 10) == 2..<10)
        #expect(ByteRange("bytes=-3")?.resolved(in: 10) == 7..<10)
        #expect(ByteRange("bytes=-30")?.resolved(in: 10) == 0..<10)
        #expect(ByteRange("bytes=2-99")?.resolved(in: 10) == 2..<10)
        #expect(ByteRange("bytes=10-")?.resolved(in: 10) == nil)
        #expect(ByteRange("bytes=-0")?.resolved(in: 10) == nil)
    }

    @Test(
        "Several ranges, other units and broken ones are none",
        arguments: [
            "bytes=0-1,4-5", "lines=0-1", "bytes=", "bytes=-", "bytes=4-2", "bytes=a-b", "bytes=--1", "bytes 0-1",
            "bytes=0-99999999999999999999999",
        ])
    func none(text: String) {
        #expect(ByteRange(text) == nil)
    }

    @Test("Content-Range is read and written")
    func contentRange() {
        #expect(ContentRange("bytes 4-9/10")?.range == 4..<10)
        #expect(ContentRange("bytes 4-9/10")?.length == 10)
        #expect(ContentRange("bytes 4-9/*")?.text == "bytes 4-9/*")
        for text in ["bytes */10", "bytes 9-4/10", "bytes 4-10/10", "bytes 4-9", "bytes 4-9/x", ""] {
            #expect(ContentRange(text) == nil)
        }
    }
}

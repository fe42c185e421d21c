// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

/// Tests of RFC 9110, section 14.
@Suite(.timeLimit(.minutes(1)))
struct RangeTests {
    @Test(
        arguments: [
            ("bytes=2-4", 2..<5), ("Bytes=2-", 2..<10), ("bytes=-3", 7..<10), ("bytes=-30", 0..<10),
            ("bytes=2-99", 2..<10), ("bytes=10-", nil), ("bytes=-0", nil), ("bytes= 0-0 ,", 0..<1),
            ("bytes=,9-9", 9..<10),
            ("bytes=0-99999999999999999999999", 0..<10), ("bytes=-99999999999999999999999", 0..<10),
            ("bytes=99999999999999999999-", nil), ("bytes=0-9223372036854775807", 0..<10),
        ] as [(String, Range<Int64>?)])
    func `A range is resolved against the length`(field: String, range: Range<Int64>?) throws {
        #expect(try #require(ByteRange(field)).resolved(in: 10) == range)
    }

    @Test(
        arguments: [
            "bytes=0-1,4-5", "lines=0-1", "bytes=", "bytes=-", "bytes=4-2", "bytes=a-b", "bytes=--1", "bytes 0-1",
            "bytes =0-1", "bytes=0 -1", "bytes=+1-2", "bytes=0-1-2", "", "bytes", "bytes=,,", "bytes=٤-",
        ])
    func `Several ranges, other units and invalid values are not one range`(field: String) {
        #expect(ByteRange(field) == nil)
    }

    @Test func `Ranges are parsed in their order, up to a limit`() {
        #expect(
            ByteRange.ranges(in: "bytes=0-1, -5,,7-", limit: 3)
                == [.from(0, through: 1), .suffix(5), .from(7, through: nil)])
        #expect(ByteRange.ranges(in: "bytes=0-1, -5, 7-", limit: 2) == nil)
        #expect(ByteRange.ranges(in: "bytes=0-1,x", limit: 9) == nil)
        #expect(ByteRange.ranges(in: "bytes=" + String(repeating: ", ", count: 100) + "0-1", limit: 3) == nil)
    }

    @Test func `An empty representation has no range`() {
        #expect(ByteRange.from(0, through: nil).resolved(in: 0) == nil)
        #expect(ByteRange.suffix(1).resolved(in: 0) == nil)
    }

    @Test(
        arguments: [
            ("bytes 4-9/10", .part(4..<10, total: 10)), ("Bytes 0-0/*", .part(0..<1, total: nil)),
            ("bytes */10", .unsatisfied(total: 10)), ("bytes */0", .unsatisfied(total: 0)),
        ] as [(String, ContentRange)])
    func `Content-Range is parsed and formatted`(field: String, range: ContentRange) {
        #expect(ContentRange(field) == range)
        #expect(ContentRange(range.description) == range)
    }

    @Test(
        arguments: [
            "bytes 9-4/10", "bytes 4-10/10", "bytes 4-9", "bytes 4-9/x", "", "bytes */*", "bytes  4-9/10",
            "bytes 4-9/10 ",
            "bytes=4-9/10", "lines 4-9/10", "bytes 4-/10", "bytes -9/10", "bytes 4-9/10/11", "bytes 4 - 9/10",
            "bytes 0-9223372036854775807/*", "bytes 0-99999999999999999999/*", "bytes +4-9/10",
        ])
    func `Other values are no Content-Range`(field: String) {
        #expect(ContentRange(field) == nil)
    }
}

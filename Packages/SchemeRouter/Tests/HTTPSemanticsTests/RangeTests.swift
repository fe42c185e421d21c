// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPSemantics
import HTTPTypes
import ResourceLoading
import Testing

/// Each title begins with the section of RFC 9110 that the test verifies.
@Suite("Ranges", .timeLimit(.minutes(1)))
struct RangeTests {
    @Test(
        "14.1.2 The response to a single range has the bytes of the range",
        arguments: [
            ("bytes=0-0", "0", "0-0"), ("bytes=2-4", "234", "2-4"), ("bytes=8-", "89", "8-9"),
            ("bytes=-3", "789", "7-9"),
            ("bytes=8-99", "89", "8-9"), ("bytes=-99", "0123456789", "0-9"), ("bytes=0-9", "0123456789", "0-9"),
            ("Bytes=2-4", "234", "2-4"), ("bytes= 2-4 ", "234", "2-4"), ("bytes=,2-4,,", "234", "2-4"),
            ("bytes=9-99999999999999999999999", "9", "9-9"), ("bytes=2-4,50-", "234", "2-4"),
            ("bytes=-0,1-1", "1", "1-1"),
        ])
    func single(value: String, text: String, range: String) async throws {
        let response = try #require(try await Files.digits().get([.range: value]))
        #expect(response.head.status == .partialContent)
        #expect(try await response.text == text)
        #expect(response.field(.contentRange) == "bytes \(range)/10")
        #expect(response.field(.contentLength) == "\(text.count)")
        // 15.3.7: a partial response has the fields of the 200 response.
        #expect(response.field(.eTag) == "\"one\"" && response.field(.cacheControl) == "no-cache")
        #expect(response.field(.contentType) == "text/plain;charset=utf-8")
    }

    @Test(
        "14.2 An invalid range is ignored",
        arguments: [
            "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=a-b", "bytes=4-2", "bytes=1", "bytes=1-2-3",
            "bytes=0x1-2",
            "bytes=+1-2", "bytes=1-2,x", "lines=1-2", "bytes:1-2", "bytes=1-2;3-4", "bytes=0 1-2", "bytes=1-2 3",
            "bytes=1 -2", "bytes=1-\t2", "bytes=1-2,3 -4",
        ])
    func ignored(value: String) async throws {
        let response = try #require(try await Files.digits().get([.range: value]))
        #expect(response.head.status == .ok && response.field(.contentRange) == nil)
        #expect(try await response.text == "0123456789")
    }

    @Test(
        "15.5.17 A range outside the body results in 416 with the length",
        arguments: ["bytes=10-", "bytes=10-12,99-", "bytes=-0", "bytes=99999999999999999999-"])
    func unsatisfiable(value: String) async throws {
        let response = try #require(try await Files.digits().get([.range: value]))
        #expect(response.head.status == .rangeNotSatisfiable && response.body.length == 0)
        #expect(response.field(.contentRange) == "bytes */10" && response.field(.contentLength) == "0")
    }

    @Test("14.1.2 An empty file has no satisfiable range; a suffix range is ignored")
    func empty() async throws {
        let files = Files(["/digits": Files.file("") { $0.body = .empty }])
        #expect(try await files.get([.range: "bytes=0-"])?.head.status == .rangeNotSatisfiable)
        #expect(try await files.get([.range: "bytes=-5"])?.head.status == .ok)
    }

    @Test("14.6 Several ranges are sent as multipart/byteranges in the order of the request")
    func several() async throws {
        let response = try #require(try await Files.digits().get([.range: "bytes=7-8, 0-1,-1"]))
        let expected = [
            "--BOUNDARY", "Content-Type: text/plain;charset=utf-8", "Content-Range: bytes 7-8/10", "", "78",
            "--BOUNDARY",
            "Content-Type: text/plain;charset=utf-8", "Content-Range: bytes 0-1/10", "", "01", "--BOUNDARY",
            "Content-Type: text/plain;charset=utf-8", "Content-Range: bytes 9-9/10", "", "9", "--BOUNDARY--", "",
        ].joined(separator: "\r\n")
        #expect(response.head.status == .partialContent)
        #expect(response.field(.contentType) == "multipart/byteranges; boundary=BOUNDARY")
        #expect(response.field(.contentLength) == "\(expected.utf8.count)" && response.field(.contentRange) == nil)
        #expect(response.body.length == Int64(expected.utf8.count))
        #expect(try await response.text == expected)
    }

    @Test("14.2 and 17.15 Too many ranges, or several overlapping ranges, are ignored")
    func limits() async throws {
        let many = (0..<17).map { "\($0 % 10)-\($0 % 10)" }.joined(separator: ",")
        for value in [many, "0-,0-,0-", "0-5,3-8,4-9", "0-9,1-1,2-2"] {
            #expect(try await Files.digits().get([.range: "bytes=" + value])?.head.status == .ok, "\(value)")
        }
        // One overlap may be unintended, so it is permitted.
        #expect(try await Files.digits().get([.range: "bytes=0-5,3-8"])?.head.status == .partialContent)
        let three = try await Files.digits().get([.range: "bytes=0-0,2-2,4-4"]) { $0.maxRanges = 2 }
        #expect(three?.head.status == .ok)
        let commas = "bytes=0-0" + String(repeating: ",", count: 100_000) + "2-2"
        #expect(try await Files.digits().get([.range: commas])?.head.status == .partialContent)
    }

    @Test("14.2 HEAD ignores ranges")
    func head() async throws {
        let response = try #require(try await Files.digits().get([.range: "bytes=0-1"], .head))
        #expect(response.head.status == .ok && response.field(.contentLength) == "10" && response.body.length == 0)
    }

    @Test("13.1.5 If-Range: an equal strong tag or the exact date; otherwise the complete body is sent")
    func ifRange() async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let files = Files.digits { $0.head.headerFields[.lastModified] = date }
        for (value, status) in [
            ("\"one\"", 206), (" \"one\" ", 206), ("W/\"one\"", 200), ("\"two\"", 200), ("*", 200), (date, 206),
            ("Sun, 06 Nov 1994 08:49:38 GMT", 200), ("Sunday, 06-Nov-94 08:49:37 GMT", 200), ("", 200),
        ] {
            let response = try await files.get([.range: "bytes=0-1", .ifRange: value])
            #expect(response?.head.status.code == status, "\(value)")
        }
        // If-Range is ignored without a range. If it does not match, even an unsatisfiable range gives the complete
        // body.
        #expect(try await files.get([.ifRange: "\"one\""])?.head.status == .ok)
        #expect(try await files.get([.range: "bytes=99-", .ifRange: "\"two\""])?.head.status == .ok)
        #expect(try await files.get([.range: "bytes=99-", .ifRange: "\"one\""])?.head.status == .rangeNotSatisfiable)
    }

    @Test("A range of a file is a slice of the same file, and several ranges are read from it")
    func fileSlices() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("ranges-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let content = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        try content.write(to: URL(fileURLWithPath: path))
        let file = try OpenFile(path: path)
        // The file is a part of a larger file.
        let files = Files.digits { $0.body = .file(FileSlice(file, range: 1_000..<390_000)) }
        let response = try #require(try await files.get([.range: "bytes=500-200499"]))
        guard case .file(let slice) = response.body else {
            Issue.record("no file: \(response.body)")
            return
        }
        #expect(slice.file === file && slice.range == 1_500..<201_500)
        #expect(response.field(.contentRange) == "bytes 500-200499/389000")
        let several = try #require(try await files.get([.range: "bytes=0-199999,200001-389999"]))
        let bytes = try await several.body.collect(upTo: 1 << 20)
        #expect(several.field(.contentLength) == "\(bytes.count)")
        #expect(bytes.range(of: content[1_000..<201_000]) != nil && bytes.range(of: content[201_001..<390_000]) != nil)
        #expect(files.requests.count == 2)
    }

    @Test("14.2 A stream is sent completely")
    func stream() async throws {
        let files = Files.digits {
            $0.body = .stream(ByteStream(AsyncThrowingStream<Data, any Error> { nil }, length: 10))
        }
        let response = try #require(try await files.get([.range: "bytes=0-1"]))
        #expect(response.head.status == .ok && response.field(.contentLength) == "10")
        // 14.3: Accept-Ranges is sent only if ranges are supported.
        #expect(response.field(.acceptRanges) == nil)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing

/// Each title begins with the section of RFC 9110 that the test verifies.
@Suite("Preconditions", .timeLimit(.minutes(1)))
struct ConditionTests {
    private let early = "Sun, 06 Nov 1994 08:49:36 GMT"
    private let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private let late = "Sun, 06 Nov 1994 08:49:38 GMT"

    private func status(_ fields: HTTPFields, _ method: HTTPRequest.Method = .get, of files: Files = .digits())
        async throws -> Int?
    {
        try await files.get(fields, method)?.head.status.code
    }

    private var dated: Files {
        .digits { [date] in $0.head.headerFields[.lastModified] = date }
    }

    @Test(
        "13.1.2 If-None-Match: a weakly equal tag in the list, or a star, results in 304",
        arguments: [
            ("\"one\"", 304), ("W/\"one\"", 304), ("\"two\"", 200), ("*", 304), (" * ", 304), ("\"two\", \"one\"", 304),
            ("\"two\",W/\"one\"", 304), (",, \"two\" ,\t\"one\",", 304), ("\"a,b\", \"one\"", 304), ("one", 200),
            ("\"one", 200), ("w/\"one\"", 200), ("\"one\"x", 304), ("\"two\" \"one\"", 200), ("", 200), ("\"\"", 200),
            ("\"ONE\"", 200),
        ])
    func ifNoneMatch(value: String, status: Int) async throws {
        for method in [HTTPRequest.Method.get, .head] {
            #expect(try await self.status([.ifNoneMatch: value], method) == status)
        }
    }

    @Test("5.3 Several field lines form one list")
    func lines() async throws {
        var fields = HTTPFields()
        fields[values: .ifNoneMatch] = ["\"two\"", "\"one\""]
        #expect(try await status(fields) == 304)
    }

    @Test("8.8.3.2 A weak tag of the response matches weakly and never strongly")
    func weakTag() async throws {
        let files = Files.digits { $0.head.headerFields[.eTag] = "W/\"one\"" }
        #expect(try await status([.ifNoneMatch: "\"one\""], of: files) == 304)
        #expect(try await status([.ifMatch: "W/\"one\""], of: files) == 412)
        #expect(try await status([.range: "bytes=0-1", .ifRange: "W/\"one\""], of: files) == 200)
    }

    @Test("15.4.5 A 304 response has the fields for caches, no content and no content fields")
    func notModified() async throws {
        let files = Files.digits {
            $0.head.headerFields[.vary] = "accept"
            $0.head.headerFields[.contentLanguage] = "en"
        }
        let response = try #require(try await files.get([.ifNoneMatch: "\"one\""]))
        #expect(response.head.headerFields == [.eTag: "\"one\"", .cacheControl: "no-cache", .vary: "accept"])
        #expect(response.body.length == 0 && response.provenance.source == .package)
    }

    @Test(
        "13.1.1 If-Match: only an equal strong tag, or a star, matches",
        arguments: [
            ("\"one\"", 200), ("\"two\", \"one\"", 200), ("*", 200), ("W/\"one\"", 412), ("\"two\"", 412), ("one", 412),
        ])
    func ifMatch(value: String, status: Int) async throws {
        #expect(try await self.status([.ifMatch: value]) == status)
    }

    @Test("13.1.1 A response without a tag fails If-Match, except for a star")
    func noTag() async throws {
        let files = Files.digits { $0.head.headerFields[.eTag] = nil }
        #expect(try await status([.ifMatch: "\"one\""], of: files) == 412)
        #expect(try await status([.ifMatch: "*"], of: files) == 200)
        #expect(try await status([.ifNoneMatch: "\"one\""], of: files) == 200)
        #expect(try await status([.ifNoneMatch: "*"], of: files) == 304)
    }

    @Test("13.1.3 If-Modified-Since: a date not before Last-Modified results in 304; an invalid date is ignored")
    func ifModifiedSince() async throws {
        for (value, status) in [
            (early, 200), (date, 304), (late, 304), ("Sunday, 06-Nov-94 08:49:37 GMT", 304),
            ("Sun Nov  6 08:49:37 1994", 304),
            ("Sun Nov  6 08:49:36 1994", 200), ("yesterday", 200), ("Sun, 32 Nov 1994 08:49:37 GMT", 200), ("", 200),
        ] {
            #expect(try await self.status([.ifModifiedSince: value], of: dated) == status, "\(value)")
        }
        // Without a Last-Modified field there is no date to compare.
        #expect(try await status([.ifModifiedSince: late]) == 200)
    }

    @Test("13.1.4 If-Unmodified-Since: a later modification results in 412; without Last-Modified the field is ignored")
    func ifUnmodifiedSince() async throws {
        for (value, status) in [(early, 412), (date, 200), (late, 200), ("never", 200)] {
            #expect(try await self.status([.ifUnmodifiedSince: value], of: dated) == status, "\(value)")
        }
        #expect(try await status([.ifUnmodifiedSince: early]) == 200)
    }

    @Test("13.2.2 Precedence: If-Match, If-Unmodified-Since, If-None-Match, If-Modified-Since")
    func precedence() async throws {
        for (fields, status) in [
            ([.ifMatch: "\"one\"", .ifUnmodifiedSince: early], 200),
            ([.ifMatch: "\"two\"", .ifUnmodifiedSince: late], 412),
            ([.ifMatch: "\"two\"", .ifNoneMatch: "\"one\""], 412),
            ([.ifMatch: "\"one\"", .ifNoneMatch: "\"one\""], 304),
            ([.ifUnmodifiedSince: early, .ifNoneMatch: "\"one\""], 412),
            ([.ifNoneMatch: "\"two\"", .ifModifiedSince: late], 200),
            ([.ifNoneMatch: "\"one\"", .ifModifiedSince: early], 304),
            ([.ifNoneMatch: "\"one\"", .range: "bytes=0-1"], 304), ([.ifMatch: "\"two\"", .range: "bytes=0-1"], 412),
            ([.ifMatch: "\"one\"", .range: "bytes=0-1"], 206), ([.ifModifiedSince: date, .range: "bytes=0-1"], 304),
        ] as [(HTTPFields, Int)] {
            #expect(try await self.status(fields, of: dated) == status, "\(fields)")
        }
    }

    @Test("13.2.1 Preconditions are ignored for unsuccessful responses such as 404")
    func unsuccessful() async throws {
        let files = Files.digits { $0.head.status = .notFound }
        for fields in [[.ifNoneMatch: "*"], [.ifMatch: "\"two\""], [.range: "bytes=0-1"]] as [HTTPFields] {
            #expect(try await status(fields, of: files) == 404)
        }
    }

    @Test("15.5.13 A 412 response has no content")
    func failed() async throws {
        let response = try #require(try await Files.digits().get([.ifMatch: "\"two\""]))
        #expect(
            response.head.headerFields == [.contentLength: "0", .xContentTypeOptions: "nosniff"]
                && response.body.length == 0)
    }

    @Test("15.5 Responses 412 and 416 keep the fields that do not describe the content", arguments: [412, 416])
    func refusalsKeepPolicies(status: Int) async throws {
        let policies: HTTPFields = [
            .accessControlAllowOrigin: "*", .init("Cross-Origin-Resource-Policy")!: "cross-origin",
            .xContentTypeOptions: "nosniff",
        ]
        let files = Files.digits {
            $0.head.headerFields += policies
            $0.head.headerFields[.contentLanguage] = "en"
            $0.head.headerFields[.lastModified] = "Sun, 06 Nov 1994 08:49:37 GMT"
        }
        let request: HTTPFields = status == 412 ? [.ifMatch: "\"two\""] : [.range: "bytes=10-"]
        let response = try #require(try await files.get(request))
        let own: HTTPFields =
            status == 412
            ? [.contentLength: "0"] : [.contentLength: "0", .contentRange: "bytes */10", .acceptRanges: "bytes"]
        #expect(response.head.status.code == status && response.head.headerFields == own + policies)
    }
}

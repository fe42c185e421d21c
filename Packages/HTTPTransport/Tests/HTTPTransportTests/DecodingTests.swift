// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing
@_spi(Testing) import ZlibStreams

@testable import HTTPTransport

@Suite("Decoding without a network", .timeLimit(.minutes(3)))
struct DecodingTests {
    @Test("Several lines of accepted codings are one list")
    func askingInLines() throws {
        var request = try #require(HTTPRequest(urlText: "https://a.example/"))
        request.headerFields[values: .acceptEncoding] = ["gzip, zstd", "br"]
        let sent = BodyDecoding(limits: DecodingLimits()).addingAcceptEncoding(request)
        #expect(sent.headerFields[values: .acceptEncoding] == ["gzip, br"])
    }

    @Test("A request without accepted codings accepts Brotli over https only, as in WebKitGTK")
    func askingByScheme() throws {
        let decoding = BodyDecoding(limits: DecodingLimits())
        for (scheme, asked) in [("https", "gzip, deflate, br"), ("http", "gzip, deflate")] {
            let request = try #require(HTTPRequest(urlText: "\(scheme)://a.example/"))
            #expect(decoding.addingAcceptEncoding(request).headerFields[.acceptEncoding] == asked)
        }
    }

    @Test("Damaged bytes cause an error, or another body within the limits", arguments: [ZlibFormat.gzip, .zlib, .raw])
    func damage(format: ZlibFormat) async throws {
        struct Coded: ResourceLoader {
            let body: Data
            let coding: String
            func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
                ResourceResponse(
                    head: HTTPResponse(status: .ok, headerFields: [.contentEncoding: coding]), body: .bytes(body),
                    provenance: Provenance(.network, reason: "test"))
            }
        }
        let whole = Data((0..<3_000).map { UInt8(truncatingIfNeeded: $0 &* $0) })
        let content = try Data(whole.withUnsafeBytes { try ZlibDeflater.deflate($0, as: format) })
        let request = ResourceRequest(try #require(HTTPRequest(urlText: "http://a.example/")))
        var limits = DecodingLimits()
        limits.bytes = 100_000
        for index in content.indices {
            for bit in [0, 3, 6] {
                var damaged = content
                damaged[index] ^= 1 << bit
                let coded = Coded(body: damaged, coding: format == .gzip ? "gzip" : "deflate")
                let response = try #require(try await DecodingLoader(coded, limits: limits).load(request))
                do {
                    let data = try await response.body.collect(upTo: 100_000)
                    // gzip has a checksum, and header fields whose damage has no effect.
                    #expect(format != .gzip || data.count == 3_000)
                } catch let error as ResourceError {
                    #expect([.connectionLost, .tooLarge].contains(error.code))
                }
            }
        }
    }
}

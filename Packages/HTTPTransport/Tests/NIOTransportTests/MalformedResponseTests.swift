// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import HTTPTransport
import HTTPTypes
import NIOCore
import NIOTransport
import ResourceLoading
import Testing
import WebSyntax

/// Tests of every transport with responses that would terminate the process inside HTTP libraries.
@Suite("Response heads that violate HTTP", .timeLimit(.minutes(2)))
struct MalformedResponseTests {
    /// Expects a `ResourceError`, and that the next request succeeds.
    /// - Parameter code: The expected code; `nil` for any code.
    private func expectRefusal(
        _ response: MalformedResponse, from origin: MalformedOrigin, by transport: any HTTPTransporting,
        _ code: ResourceError.Code?
    ) async throws {
        let url = origin.url(of: response)
        for method in [HTTPRequest.Method.get, .post] {
            let error = await #expect(throws: ResourceError.self, "\(method)") {
                let answer = try await transport.send(
                    url, method, body: method == .post ? .bytes(.init("name=value".utf8)) : .empty)
                #expect(response.part == .rest, "a head with status \(answer.head.status.code)")
                _ = try await answer.body.collect(upTo: 1 << 20)
            }
            #expect(error.map { "\($0)".contains("\n") } == false)
            if let code { #expect(error?.code == code, "\(String(describing: error))") }
        }
        #expect(try await transport.get(origin.goodURL) == .init(MalformedOrigin.good.utf8))
    }

    @Test("Malformed responses over HTTP/1.1", arguments: Subject.allCases, MalformedResponse.http1)
    func http1(subject: Subject, response: MalformedResponse) async throws {
        // On Linux, the library below URLSession accepts a status line with any version.
        guard subject == .asyncHTTPClient || response.name != "version" else { return }
        try await MalformedOrigin.with(.http1) { origin in
            // URLSession reports other codes for some responses, and waits for its time limit after others.
            let isOurs = subject == .asyncHTTPClient
            try await subject.with(isOurs ? Subject.Limits() : Subject.Limits(read: .seconds(2), write: .seconds(2))) {
                try await expectRefusal(response, from: origin, by: $0, isOurs ? .connectionLost : nil)
            }
        }
    }

    @Test("Malformed responses over HTTP/2", arguments: MalformedResponse.http2)
    func http2(response: MalformedResponse) async throws {
        try await MalformedOrigin.with(.http2) { origin in
            var configuration = AsyncHTTPTransport.Configuration()
            configuration.authorities = [try CertificateAuthority(pem: #require(origin.authorityPEM))]
            try await withTransport(configuration) {
                try await expectRefusal(response, from: origin, by: $0, .connectionLost)
            }
        }
    }

    @Test("Malformed responses to HEAD, over both versions", arguments: MalformedOrigin.Version.allCases)
    func head(version: MalformedOrigin.Version) async throws {
        try await MalformedOrigin.with(version) { origin in
            var configuration = AsyncHTTPTransport.Configuration()
            configuration.authorities = try origin.authorityPEM.map { [try CertificateAuthority(pem: $0)] } ?? []
            try await withTransport(configuration) { transport in
                for response in version.responses where response.part == .head {
                    await expectFailure(.connectionLost, at: origin.url(of: response)) {
                        try await transport.send(origin.url(of: response), .head)
                    }
                }
                let good = try await transport.get(origin.goodURL)
                #expect(good == .init(MalformedOrigin.good.utf8))
            }
        }
    }

    @Test("Malformed responses of a proxy to CONNECT", arguments: MalformedResponse.http1)
    func proxy(response: MalformedResponse) async throws {
        let text = try #require(response.text)
        try await RawServer.with { input, output in
            _ = try await input.next()
            try await output.write(ByteBuffer(string: text))
            if response.closes { output.finish() }
        } _: { server in
            var configuration = AsyncHTTPTransport.Configuration()
            configuration.proxy = HostPort(host: "127.0.0.1", port: server.port)
            try await withTransport(configuration) { transport in
                _ = await #expect(throws: ResourceError.self) { try await transport.get("https://shop.example/") }
            }
        }
    }
}

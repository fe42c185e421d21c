// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import NIOCore
import ResourceLoading
import Testing
import ZlibStreams

@testable import ContainerTesting
@_spi(Facade) @testable import HTTPTransport
@testable import NIOTransport

/// Checks that each transport has the capabilities that it declares, and lacks the others.
@Suite("Capabilities", .timeLimit(.minutes(3)))
struct CapabilityTests {
    @Test("Each transport declares its capabilities")
    func declared() async throws {
        try await withTransport {
            #expect(
                $0.capabilities == [
                    .backPressure, .proxy, .separateCookies, .http2, .refusesAtOnce, .ownAddresses, .streamingUploads,
                    .ownAuthorities, .connectTimeout, .repeatsUnprocessed, .keepAlive, .bypassesSessions,
                ])
            #expect(DecodingTransport($0).capabilities == $0.capabilities.union(.decodes))
        }
        try await Subject.urlSession.with { transport async in
            #if canImport(FoundationNetworking)
                #expect(transport.capabilities == [.decodes, .refusesAtOnce, .bypassesSessions])
            #else
                #expect(transport.capabilities == [.decodes, .refusesAtOnce, .bypassesSessions, .http2])
            #endif
        }
    }

    @Test("A transport returns its authorities, also behind a decoding transport")
    func authorities() async throws {
        let (common, own) = (try OriginCertificate(), try OriginCertificate())
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.authorities = [
            try CertificateAuthority(pem: common.authorityPEM),
            try CertificateAuthority(pem: own.authorityPEM, hosts: ["shop.test", "[::1]"]),
        ]
        let transport = AsyncHTTPTransport(configuration)
        func trusted(_ host: String) -> [[UInt8]] {
            CertificateAuthority.certificates(among: DecodingTransport(transport).authorities, trustedFor: host)
        }
        let (every, added) = (try Self.der(common.authorityPEM), try Self.der(own.authorityPEM))
        #expect(trusted("other.test") == [every])
        #expect(trusted("shop.test") == [every, added] && trusted("::1") == [every, added])
        try await transport.shutDown()
        try await Subject.urlSession.with { transport async in #expect(transport.authorities.isEmpty) }
    }

    @Test("Programs that the process starts inherit no connection of the transport")
    func inheritance() async throws {
        let route = try route(.get, "/") { _ in OriginResponse(body: .bytes(Data())) }
        let server = try await OriginServer.start(.init(routes: [route]))
        try await withTransport { transport in
            _ = try await transport.send(server.url + "/")
            // The connection stays open for the next request.
            let flags = (CInt(0)..<4_096).compactMap { descriptor -> CInt? in
                var address = sockaddr_in()
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                let result = withUnsafeMutablePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
                }
                guard result == 0, Int(UInt16(bigEndian: address.sin_port)) == server.port else { return nil }
                return fcntl(descriptor, F_GETFD)
            }
            #expect(!flags.isEmpty && flags.allSatisfy { $0 & FD_CLOEXEC != 0 }, "\(flags)")
        }
        await server.stop()
    }

    private static func der(_ pem: String) throws -> [UInt8] {
        let text = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        return Array(try #require(Data(base64Encoded: text)))
    }

    @Test("Set-Cookie fields stay separate only with `separateCookies`", arguments: Subject.allCases)
    func cookies(subject: Subject) async throws {
        let sent = ["a=1; Expires=Wed, 21 Oct 2035 07:28:00 GMT", "b=2, 3", "a=1"]
        let route = try route(.get, "/") { _ in
            var fields = HTTPFields()
            for cookie in sent { fields.append(HTTPField(name: .setCookie, value: cookie)) }
            return OriginResponse(headers: fields, body: .bytes(Data()))
        }
        let server = try await OriginServer.start(.init(routes: [route]))
        try await subject.with { transport async throws in
            let received = try await transport.send(server.url + "/").head.headerFields[values: .setCookie]
            #expect(
                received == (transport.capabilities.contains(.separateCookies) ? sent : [sent.joined(separator: ", ")]))
        }
        await server.stop()
    }

    /// The steps of an upload, in order.
    private enum Step {
        /// The app has produced its last chunk.
        case made
        /// The host has received the first chunk.
        case arrived
    }

    @Test("An upload is sent while it is produced only with `streamingUploads`", arguments: Subject.allCases)
    func streamingUploads(subject: Subject) async throws {
        let steps = Mutex<[Step]>([])
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let ping = try await OriginServer.start(.init(routes: [try route(.get, "/") { _ in .text("pong") }]))
        try await RawServer.with { input, output in
            var text = ""
            while !text.contains("one"), let buffer = try await input.next() { text += String(buffer: buffer) }
            steps.withLock { $0.append(.arrived) }
            arrival.yield()
            while !text.contains("two"), let buffer = try await input.next() { text += String(buffer: buffer) }
            try await output.write(ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"))
        } _: { server async throws in
            try await subject.with { transport async throws in
                let isImmediate = transport.capabilities.contains(.streamingUploads)
                let pieces = Mutex(["one", "two"])
                let stream = AsyncThrowingStream<Data, any Error> {
                    let piece = pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                    if piece == "two" {
                        if isImmediate {
                            // The last chunk follows only after the host has received the first chunk.
                            for await _ in arrivals { break }
                        } else {
                            // These requests give the first chunk time to arrive, if it is sent.
                            for _ in 0..<50 { _ = try await transport.get(ping.url + "/") }
                        }
                        steps.withLock { $0.append(.made) }
                    }
                    return piece.map { Data($0.utf8) }
                }
                let answer = try await transport.send(
                    server.url + "/", .post, body: .stream(ByteStream(stream, length: 6)))
                #expect(try await answer.body.collect(upTo: 2) == Data("ok".utf8))
                #expect(steps.withLock { $0 } == (isImmediate ? [.arrived, .made] : [.made, .arrived]))
            }
        }
        await ping.stop()
    }

    @Test("An unread body fails and stops if the transport has no back-pressure")
    func unread() async throws {
        let total = 1 << 36
        // The limit is large enough that a busy machine does not send all bytes before the session counts them; 1 GiB
        // was too small.
        let most = 8 << 30
        try await PouringServer.with(total: total, most: most) { server async throws in
            var configuration = URLSessionTransport.Configuration()
            configuration.unreadLimit = 8 << 20
            let transport = URLSessionTransport(configuration)
            #expect(!transport.capabilities.contains(.backPressure))
            let body = try await transport.send("http://127.0.0.1:\(server.port)/").body
            // The connection is closed while the body is unread. The session counts bytes only some time after it has
            // read them.
            for await sent in server.ends {
                #expect(sent < most)
                break
            }
            await expectFailure(.tooLarge) { try await body.collect(upTo: total) }
            transport.shutDown()
        }
    }

    @Test("With `connectTimeout` the connect timeout is separate, otherwise it is added to the read timeout")
    func connectTimeout() async throws {
        try await RawServer.with({ _, _ in }) { server async throws in
            for subject in Subject.allCases {
                try await subject.with(.init(read: .milliseconds(200), connect: .milliseconds(200))) {
                    transport async in
                    let isOwn = transport.capabilities.contains(.connectTimeout)
                    await #expect {
                        try await transport.send("https://127.0.0.1:\(server.port)/")
                    } throws: { error in
                        let error = error as? ResourceError
                        return isOwn
                            ? [.connect, .tls].contains(error?.transportPhase) && error?.code == .cannotConnect
                            : error?.code == .timedOut && error?.transportPhase == .receive
                    }
                }
            }
        }
    }

    @Test("The encoded body of a session has a limit")
    func sessionBomb() async throws {
        let bomb = try Deflate.encode(Data(count: 4 << 20), as: .gzip)
        let route = try route(.get, "/") { _ in
            OriginResponse(headers: [.contentEncoding: "gzip"], body: .bytes(bomb))
        }
        let server = try await OriginServer.start(.init(routes: [route]))
        var configuration = URLSessionTransport.Configuration()
        configuration.decodedBodyLimit = 1 << 20
        let transport = URLSessionTransport(configuration)
        await expectFailure(.tooLarge) { try await transport.get(server.url + "/") }
        transport.shutDown()
        await server.stop()
    }
}

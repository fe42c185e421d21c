// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
internal import HTTPTypes
internal import LoopbackServer
internal import ResourceLoading
internal import WebSyntax

/// A proxy that intercepts every host, and a local server with one site.
final class Listeners: Sendable {
    static let shared = Listeners()

    /// The marker in HTTP input that is replaced by the credentials.
    private static let mark = Array("@@".utf8)
    /// The SOCKS5 request for `shop.test:443` (RFC 1928, section 4).
    static let request: [UInt8] = [5, 1, 0, 3, 9] + Array("shop.test".utf8) + [1, 187]

    let proxyPort: Int
    let sitePort: Int
    /// The SOCKS5 greeting and the credentials (RFC 1929, section 2).
    let introduction: [UInt8]
    private let proxy: InterceptingProxy
    private let server: LocalServer
    private let authorization: [UInt8]

    private init() {
        var limits = LoopbackLimits()
        limits.introduction = .seconds(2)
        limits.patience = .seconds(2)
        limits.idle = .seconds(2)
        limits.connect = .seconds(1)
        // No input reaches the network, because the upstream proxy refuses connections.
        let nowhere = HostPort(host: "127.0.0.1", port: 1)
        let started: Result<(InterceptingProxy, LocalServer), any Error> = Fuzz.wait { [limits] in
            var proxy = InterceptingProxy.Configuration(
                loader: Loader(), policy: EveryHost(), trusting: EveryCertificate())
            proxy.limits = limits
            proxy.upstreamProxy = nowhere
            var server = LocalServer.Configuration(
                loader: Loader(), completing: EveryHost(), trusting: EveryCertificate(), port: 0)
            server.limits = limits
            server.upstreamProxy = nowhere
            do {
                return .success((try await InterceptingProxy.start(proxy), try await LocalServer.start(server)))
            } catch {
                return .failure(error)
            }
        }
        switch started {
        case .success(let listeners): (proxy, server) = listeners
        case .failure(let error):
            Fuzz.expect(false, "the listeners did not start: \(error)")
            abort()
        }
        proxyPort = proxy.port ?? 0
        sitePort = server.port ?? 0
        let site = LocalSite(HostPort(host: "shop.test", port: 443), isSecure: true)
        server.serve(site)
        let (name, password) = (Array(proxy.credentials.username.utf8), Array(proxy.credentials.password.utf8))
        introduction =
            [5, 1, 2, 1, UInt8(name.count)] + name + [UInt8(truncatingIfNeeded: password.count)] + password
        authorization = Array("Basic \(Data(name + [0x3A] + password).base64EncodedString())".utf8)
    }

    /// Returns the bytes with each marker replaced by the credentials.
    func authorized(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index...].starts(with: Self.mark) {
                result += authorization
                index += Self.mark.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }
}

private struct EveryHost: InterceptPolicy {
    func opens(_ target: HostPort) -> Bool { true }
}

private struct EveryCertificate: CertificateTrusting {
    func trust(_ certificate: [UInt8], for host: String) async throws {}
}

/// A loader that reads each request to its end and returns the length of its body.
private struct Loader: ResourceLoader {
    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let body = try await request.body.collect(upTo: 1 << 20)
        return ResourceResponse(
            head: HTTPResponse(status: .ok), body: .bytes(Data("\(body.count)".utf8)),
            provenance: Provenance(.synthetic, reason: "the fuzz target"))
    }
}

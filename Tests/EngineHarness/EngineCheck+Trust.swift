// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting
internal import WebEngine
internal import WebKitGTKAdapter

// Untrusted certificates.
extension EngineCheck {
    /// Checks that only the given certificate is trusted, and only for one host.
    @MainActor
    func checkTrust(_ engine: WebKitGTKEngine) async throws {
        let site = try await ProxySite.start()
        let other = try await ProxySite.start()
        // A proxy provides the host names. With localhost, the engine sometimes reports a refused certificate as a
        // cancelled connection.
        var configuration = ForwardProxy.Configuration()
        configuration.route = { [port = site.origin.port, otherPort = other.origin.port] target in
            .loopback(target.port == 443 ? port : otherPort)
        }
        let proxy = try await ForwardProxy.start(configuration)
        engine.setProxy(EngineProxy(host: "127.0.0.1", port: proxy.port))
        let (near, far) = ("https://near.example/", "https://far.example/")
        let view = try engine.makeView()
        for url in [near, far] { try await expectFailure(.tls, url, in: view) }
        try await engine.trust(site.certificate, for: "near.example")
        try await expectPage(near, in: view)
        // The trust also applies to a view that is created later and has its own process.
        try await expectPage(near, in: engine.makeView())
        // The certificate at another host, and another certificate at the host.
        for url in [far, "https://near.example:8443/"] { try await expectFailure(.tls, url, in: view) }
        for der in [[], [0x30, 0x03, 0x02, 0x01, 0x00]] as [[UInt8]] {
            try await expectError(.tls, "no certificate") {
                try await engine.trust(EngineCertificate(der: der), for: "near.example")
            }
        }
        await proxy.stop()
        await site.origin.stop()
        await other.origin.stop()
    }

    /// Checks 200 simultaneous requests to new hosts. The proxy makes the engine trust each certificate before the
    /// proxy forwards the connection.
    @MainActor
    func checkFreshHosts(_ engine: WebKitGTKEngine) async throws {
        let site = try await ProxySite.start()
        let certificate = site.certificate
        var configuration = ForwardProxy.Configuration()
        configuration.route = { [port = site.origin.port] target in
            try await engine.trust(certificate, for: target.host)
            return .loopback(port)
        }
        let proxy = try await ForwardProxy.start(configuration)
        engine.setProxy(EngineProxy(host: "127.0.0.1", port: proxy.port))
        let view = try engine.makeView()
        try await expectPage("https://first.example/", in: view)
        let loaded = try await view.evaluate(
            """
            const hosts = Array.from({ length: 200 }, (_, n) => `https://h${n}.example/`);
            const answers = await Promise.allSettled(hosts.map(url => fetch(url, { mode: 'no-cors' })));
            return answers.filter(answer => answer.status === 'fulfilled').length;
            """, in: .page)
        try expect(loaded == "200", "hosts that loaded: \(loaded) of 200")
        await proxy.stop()
        await site.origin.stop()
    }
}

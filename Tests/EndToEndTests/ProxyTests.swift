// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import ProgramTesting
import Testing

extension RealEngine {
    /// Pages whose host is reachable through the proxy of the environment only.
    @Suite("Pages behind a proxy of the environment", .timeLimit(.minutes(3)))
    struct ProxyTests {
        /// Returns the output of a run, and the number of connections that the proxy accepted.
        private func run(mode: String, exceptions: String? = nil) async throws -> (Program.Outcome, Int) {
            let folder = try TemporaryFolder()
            try folder.write("site/index.html", Array("<!doctype html><title>proxied</title>".utf8))
            let origin = try await OriginServer.start(OriginServer.Configuration(folder: folder.path + "/site"))
            var settings = ForwardProxy.Configuration()
            settings.route = { [port = origin.port] _ in .loopback(port) }
            let proxy = try await ForwardProxy.start(settings)
            let arguments = ["run", "http://shop.example/index.html", "--mode", mode, "--print", "document.title"]
            var environment: [String: String?] = ["http_proxy": proxy.url]
            for name in ["https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
                environment[name] = .some(nil)
            }
            environment["XDG_CURRENT_DESKTOP"] = .some(nil)
            environment["no_proxy"] = .some(exceptions)
            let outcome = try await Program("container-browser")
                .run(arguments, in: folder.path, environment: environment)
            let connections = proxy.connections
            await proxy.stop()
            await origin.stop()
            return (outcome, connections)
        }

        @Test("A page uses the proxy in each mode", arguments: ["plain", "proxy", "scheme", "document"])
        func proxied(mode: String) async throws {
            let (outcome, connections) = try await run(mode: mode)
            #expect(outcome.status == 0 && outcome.output.contains("proxied"), "\(outcome.errors)")
            #expect(connections > 0)
        }

        @Test("A host below an entry of no_proxy is requested directly", arguments: ["proxy", "scheme"])
        func exceptions(mode: String) async throws {
            // GIO would request the host from the proxy.
            let (outcome, connections) = try await run(mode: mode, exceptions: "other.test,example")
            // No name server knows the host.
            #expect(outcome.status != 0 && connections == 0, "\(outcome.output)")
        }
    }
}

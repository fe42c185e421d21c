// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import ProgramTesting
import Testing

extension RealEngine {
    /// The sandbox of web processes, on systems with and without support for a sandbox.
    @Suite("Sandbox", .timeLimit(.minutes(3)))
    struct SandboxTests {
        /// A command that runs a program without root capabilities where no user namespace can be created.
        private static let withoutNamespaces = [
            "--user", "--map-root-user", "--", "sh", "-c",
            "echo 0 >/proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all --inh-caps=-all \"$@\"", "sh",
        ]

        @Test("Web processes have a system call filter and own namespaces, unless the app disables the sandbox")
        func able() async throws {
            let folder = try TemporaryFolder()
            let outcome = try await Program("engine-harness").run("sandbox", "able", in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test("Without user namespaces, an engine that requires the sandbox fails with the reason")
        func withoutNamespaces() async throws {
            let folder = try TemporaryFolder()
            let program = try Program("engine-harness").path
            let outcome = try await Program(at: "/usr/bin/unshare").run(
                Self.withoutNamespaces + [program, "sandbox", "unable"], in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.hasPrefix("no-sandbox: the engine's sandbox needs user namespaces: "))
            #expect(outcome.output.hasSuffix(" (/usr/bin/bwrap)\n"), "\(outcome.output)")
        }

        @Test("The engine also fails in an environment in which it would silently disable its sandbox")
        func silentFallback() async throws {
            let folder = try TemporaryFolder()
            let outcome = try await Program("engine-harness").run(
                ["sandbox", "unable"], in: folder.path, environment: ["WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": ""])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.hasPrefix("no-sandbox: "), "\(outcome.output)")
        }

        @Test(
            "container-browser opens pages without user namespaces and warns once",
            arguments: ["plain", "proxy", "server"])
        func warning(mode: String) async throws {
            let folder = try TemporaryFolder()
            try folder.write("index.html", Array("the page".utf8))
            let origin = try await OriginServer.start(OriginServer.Configuration(folder: folder.path))
            let program = try Program("container-browser").path
            let arguments = ["open", "\(origin.url)/", "--mode", mode, "--runs", "2", "--json"]
            let outcome = try await Program(at: "/usr/bin/unshare").run(
                Self.withoutNamespaces + [program] + arguments, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let warnings = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("warning: ") }
            #expect(warnings.count == 1 && warnings[0].contains("without a sandbox: no-sandbox: "), "\(outcome.errors)")
            let sandboxed = try await Program("container-browser").run(arguments, in: folder.path)
            #expect(sandboxed.status == 0 && !sandboxed.errors.contains("warning"), "\(sandboxed.errors)")
            #expect(!sandboxed.errors.contains("WARNING"), "\(sandboxed.errors)")
            await origin.stop()
        }
    }
}

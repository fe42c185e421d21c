// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    import Foundation
    import Testing

    import WebEngine
    @testable import WebKitGTKAdapter

    @Suite("Sandbox probe", .timeLimit(.minutes(1)))
    final class SandboxProbeTests {
        private let folder = FileManager.default.temporaryDirectory.appending(path: "sandbox-\(UUID())").path

        init() throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: folder)
        }

        /// Returns the path of a script that replaces the launcher.
        private func launcher(_ script: String) throws -> String {
            let path = folder + "/launcher"
            // A separate process writes the file. A file that is open for writing cannot be executed, and the child
            // process of another test inherits the descriptors that this process has open.
            let writer = Process()
            writer.executableURL = URL(fileURLWithPath: "/bin/sh")
            writer.arguments = [
                "-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$2\" && chmod 700 \"$2\"", "sh", script, path,
            ]
            try writer.run()
            writer.waitUntilExit()
            try #require(writer.terminationStatus == 0)
            return path
        }

        /// Returns a probe of a system on which the sandbox runs.
        private func probe(_ script: String = "exit 0") throws -> SandboxProbe {
            SandboxProbe(
                launcher: try launcher(script), busProxy: "/bin/sh", flatpakMark: folder + "/none", limit: .seconds(30))
        }

        @Test("A launcher that succeeds is sufficient, and harmless environment variables are ignored")
        func success() throws {
            #expect(try probe().fault(environment: [:]) == nil)
            let harmless = ["WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "0", "SNAP": "/snap/x", "SNAP_NAME": "x"]
            #expect(try probe().fault(environment: harmless) == nil)
        }

        @Test(
            "An environment in which the engine silently disables the sandbox is a fault",
            arguments: [
                ["WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"], ["WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": ""],
                ["SNAP": "/snap/x", "SNAP_NAME": "x", "SNAP_REVISION": "1"],
            ])
        func environment(_ variables: [String: String]) throws {
            #expect(try probe().fault(environment: variables)?.code == .noSandbox)
        }

        @Test("If the app has already waited for the process, the launcher's output decides")
        func collected() async {
            await #expect(processExitsWith: .success) {
                signal(SIGCHLD, SIG_IGN)
                let tests = try SandboxProbeTests()
                #expect(try tests.probe("echo bubblewrap 0.8.0").fault(environment: [:]) == nil)
                let fault = try tests.probe("echo 'bwrap: No' >&2; exit 1").fault(environment: [:])
                #expect(fault?.message.contains("No") == true)
                #expect(try tests.probe("kill -9 $$").fault(environment: [:]) != nil)
            }
        }

        @Test("Inside Flatpak the sandbox is not supported")
        func flatpak() throws {
            var probe = try probe()
            probe.flatpakMark = "/"
            #expect(probe.fault(environment: [:])?.code == .noSandbox)
        }

        @Test("The fault for a missing program names its package")
        func missing() throws {
            var probe = try probe()
            probe.busProxy = folder + "/none"
            let text = "no-sandbox: the engine's sandbox needs the package"
            #expect(probe.fault(environment: [:]).map { "\($0)" } == "\(text) xdg-dbus-proxy (\(folder)/none)")
            probe.launcher = folder + "/none"
            #expect(probe.fault(environment: [:]).map { "\($0)" } == "\(text) bubblewrap (\(folder)/none)")
        }

        @Test(
            "The fault quotes the first line of a failed launcher",
            arguments: [
                ("echo 'bwrap: No permissions' >&2; echo more >&2; exit 1", "No permissions"),
                ("exit 3", "the launcher ended with status 768"), ("kill -9 $$", "the launcher ended with status 9"),
            ])
        func failure(script: String, reason: String) throws {
            let fault = try #require(try probe(script).fault(environment: [:]))
            #expect(fault.code == .noSandbox)
            #expect(fault.message == "the engine's sandbox needs user namespaces: \(reason)")
        }

        @Test("A launcher that does not end is killed")
        func hang() throws {
            var probe = try probe("echo $$ >'\(folder)/pid'; exec sleep 1000")
            probe.limit = .milliseconds(200)
            let fault = try #require(probe.fault(environment: [:]))
            #expect(fault.message.hasSuffix("the launcher did not end in time"))
            // The script may not have written its process ID before it was killed.
            if let text = try? String(contentsOfFile: folder + "/pid", encoding: .utf8),
                let process = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))
            {
                #expect(kill(process, 0) != 0)
            }
        }
    }
#endif

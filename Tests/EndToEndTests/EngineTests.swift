// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import ProgramTesting
import Testing
import WebEngineTesting

extension RealEngine {
    /// The adapter in the real engine, one check at a time.
    @Suite("WebKitGTK adapter", .timeLimit(.minutes(3)))
    struct EngineTests {
        @Test(
            "The engine does what the facade requires",
            arguments: [
                "userScripts", "messages", "messageReplies", "messageLimit", "messageNames", "messageOrigin", "cookies",
                "cookiesOutlive", "cookieBridge", "cookieLoss", "snapshot", "processEnd", "discardedView",
                "droppedView", "droppedEngines",
                "closedWindow",
                "reservedScheme",
                "schemeAgain", "aliases",
                "containers", "documents", "failedHandOver", "scriptErrors", "pageGone", "blockedPort",
                "loadAfterLoad", "stoppedLoads", "warmUp", "outsideOfLoop", "trust", "freshHosts", "proxyCredentials",
                "wrongCredentials",
                "otherCredentials", "socksCredentials",
            ])
        func check(_ name: String) async throws {
            let folder = try TemporaryFolder()
            let outcome = try await Program("engine-harness").run(name, folder.path, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        /// The names of the checks of the contract, in groups.
        private static let contractGroups = stride(from: 0, to: EngineContract.checks.count, by: 16).map { start in
            EngineContract.checks[start...].prefix(16).map(\.name)
        }

        @Test("The engine keeps the contract of engines", arguments: contractGroups)
        func contract(_ names: [String]) async throws {
            let outcome = try await Program("engine-harness").run(["contract"] + names, in: NSTemporaryDirectory())
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test("Exactly the hosts that are excepted from the proxy are connected directly")
        func proxyExceptions() async throws {
            let folder = try TemporaryFolder()
            try folder.write("index.html", Array("the page".utf8))
            let origin = try await OriginServer.start(OriginServer.Configuration(folder: folder.path))
            let proxy = try await ShapedProxy.start(profile: .offline)
            let outcome = try await Program("engine-harness")
                .run("proxyExceptions", "\(origin.port)", "\(proxy.port)", in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
            await proxy.stop()
            await origin.stop()
        }

        @Test("Cookies of a page in custom-scheme mode are those of the plain engine")
        func pageCookies() async throws {
            try await run("pageCookies", fixture("cookies"))
        }

        @Test(
            "A login of the app is in the first navigation, and cookies of pages are in the app's storage",
            arguments: ["plain", "scheme", "document", "proxy", "server"])
        func nativeCookies(mode: String) async throws {
            try await run("nativeCookies", mode)
        }

        @Test("Pages of the local server share the cookies of their domain with the app and with each other")
        func serverDomains() async throws {
            try await run("serverDomains")
        }

        @Test("The shared storage of the app shares its cookies with pages, also those of an earlier process")
        func sharedCookies() async throws {
            let folder = try TemporaryFolder()
            for storage in ["shared", "again"] {
                // Foundation reads the folder of its file from the environment.
                let outcome = try await Program("engine-harness").run(
                    ["nativeCookies", folder.path, "scheme", storage], in: folder.path,
                    environment: ["XDG_DATA_HOME": folder.path + "/data"])
                try #require(outcome.status == 0, "\(storage): \(outcome.errors)")
            }
        }

        @Test(
            "A request of a page passes the container once if the transport of the app uses an intercepted session",
            arguments: ["scheme", "document", "proxy", "server"])
        func returnedRequests(mode: String) async throws {
            try await run("returnedRequests", mode)
        }

        @Test(
            "Legacy pages send bodies and cookies through the legacy bridge", arguments: ["scheme", "proxy", "server"])
        func legacy(mode: String) async throws {
            try await run("legacy", mode, fixture("legacy"))
        }

        @Test(
            "A reused view has no state of the previous page, and visible pages keep their state",
            arguments: ["scheme", "proxy"])
        func pool(mode: String) async throws {
            try await runPool("pool", mode, "40")
        }

        @Test("A view that was not cleaned has residual state; views of ended processes are quarantined")
        func poolChecks() async throws {
            try await runPool("poolFinds")
            try await runPool("poolProcesses")
        }

        @Test("The next page reuses the process of a page that closes immediately after its load")
        func poolHaste() async throws {
            try await runPool("poolHaste")
        }

        private func runPool(_ check: String, _ mode: String? = nil, _ cycles: String? = nil) async throws {
            try await run(check, mode, fixture("pool"), cycles)
        }

        /// Runs a check in a temporary folder with the arguments that are not `nil`.
        private func run(_ check: String, _ arguments: String?...) async throws {
            let folder = try TemporaryFolder()
            let outcome = try await Program("engine-harness").run(
                [check, folder.path] + arguments.compactMap(\.self), in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        private func fixture(_ name: String) -> String {
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("Fixtures/\(name)").path
        }

        @Test("Unlimited caches respect the memory ceiling")
        func memoryCeiling() async throws {
            try await run("memoryCeiling")
        }

        @Test(
            "A page that stays blank is reloaded, reloaded without its package, and replaced",
            arguments: ["scheme", "proxy", "server"])
        func blankPages(mode: String) async throws {
            try await run("white", mode)
        }

        @Test(
            "A hanging page is recovered; a page with a reason to show nothing is not, unless the app enables it",
            arguments: ["scheme", "proxy", "server"])
        func quietPages(mode: String) async throws {
            try await run("blankPageLeft", mode)
            try await run("blankPageHang", mode)
            try await run("blankPageWanted", mode)
        }

        @Test(
            "Each prompt of a page gets the host's decision or a safe default, and the page continues",
            arguments: ["plain", "scheme", "proxy", "server"])
        func asks(mode: String) async throws {
            try await run("asks", mode)
        }

        @Test(
            "A download is saved completely and unchanged, or not at all",
            arguments: ["plain", "scheme", "proxy", "server"])
        func downloads(mode: String) async throws {
            try await run("downloads", mode)
        }

        @Test(
            "A kill during a download leaves no partial file, and the next launch cleans up",
            arguments: ["plain", "scheme", "proxy", "server"])
        func downloadKills(mode: String) async throws {
            let folder = try TemporaryFolder()
            let killed = try await Program("engine-harness").run("downloadKilled", folder.path, mode, in: folder.path)
            #expect(killed.status == -SIGKILL, "\(killed.errors)")
            let next = try await Program("engine-harness").run("downloadAfterKill", folder.path, mode, in: folder.path)
            #expect(next.status == 0, "\(next.errors)")
        }

        @Test(
            "A disk that becomes full loses one file, and its space is released",
            .enabled(if: SmallDisk.isAllowed, "skipped: cannot mount a tmpfs"), arguments: ["plain", "scheme", "proxy"])
        func fullDisk(mode: String) async throws {
            let disk = try SmallDisk(kilobytes: 4_096)
            try await run("downloadFull", mode, disk.path)
        }

        @Test(
            "A prefetched response is requested once, like the engine's request, and passed to its page",
            arguments: ["scheme", "proxy", "server"])
        func prefetch(mode: String) async throws {
            try await run("prefetch", mode)
        }

        @Test(
            "A catalogue installs, updates and withdraws a package; an open page keeps its version",
            arguments: ["scheme", "document", "proxy"])
        func catalogue(mode: String) async throws {
            try await run("catalogue", mode)
        }

        @Test(
            "Signed releases reach pages by share; a bad one is rolled back, one of stolen keys is refused",
            arguments: ["scheme", "document"])
        func trustedReleases(mode: String) async throws {
            try await run("trustedReleases", mode)
        }

        @Test(
            "With signed releases, an update to anything else fails, and pages keep their version",
            arguments: ["scheme", "document", "proxy", "server"])
        func trustedEnforcement(mode: String) async throws {
            try await run("trustedEnforcement", mode)
        }

        @Test(
            "Pages have the app's user agent, and its values before their first script, per origin",
            arguments: ["scheme", "proxy", "server"])
        func pageOptions(mode: String) async throws {
            try await run("pageOptions", mode)
        }

        @Test(
            "A page reloads itself with a new version while another page keeps the old one, and reports its boot",
            arguments: ["scheme", "document", "proxy", "server"])
        func pageInterface(mode: String) async throws {
            let declarations = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../docs/containerkit.d.ts")
            try await run("pageInterface", mode, declarations.standardized.path)
        }

        @Test(
            "The timeline of a page has the engine's data in order, and the page cannot detect it",
            arguments: ["scheme", "proxy", "plain"])
        func timeline(mode: String) async throws {
            try await run("timeline", mode)
        }

        @Test("One container opens pages by proxy, by scheme and plain, with the same cookies and packages")
        func modes() async throws {
            try await run("modes")
        }

        @Test(
            "A page gets the responses of rule actions and the content of the app",
            arguments: ["ruleActions", "hostContent"], ["scheme", "proxy", "document", "server"])
        func rules(check: String, mode: String) async throws {
            try await run(check, mode)
        }

        @Test(
            "A document of the container has the origin, cookies, bodies and history of a plain page",
            arguments: ["documentMode", "documentNavigation", "documentOffline", "documentViews", "documentRules"])
        func documentMode(check: String) async throws {
            try await run(check)
        }

        @Test(
            "Network, power and memory of the system reach the app, which outlives the services and the system bus",
            arguments: ["noBus", "noServices", "services", "busEnds"])
        func conditions(scenario: String) async throws {
            try await runServices("conditions", scenario)
        }

        @Test(
            "The routes to a host are those of the environment, or of the desktop's settings and their script",
            arguments: ["variables", "desktop", "script"])
        func systemProxies(scenario: String) async throws {
            try await runServices("proxies", scenario)
        }

        @Test(
            "A page opens whose name only a server for DNS over HTTPS knows, and not with another host's certificate",
            arguments: ["scheme", "document", "proxy"])
        func nameResolution(mode: String) async throws {
            try await run("nameResolution", mode)
        }

        /// Runs a check of the harness with mock services of the system.
        private func runServices(_ script: String, _ scenario: String) async throws {
            let folder = try TemporaryFolder()
            let arguments = [fixture("system-services/\(script).py"), scenario, try Program("engine-harness").path]
            // The Python of the system has the module dbusmock; the first one on the path may lack it.
            let outcome = try await Program(at: "/usr/bin/python3").run(arguments, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test("Cookies with an expiry time are still stored in the next process")
        func persistentCookies() async throws {
            let folder = try TemporaryFolder()
            for name in ["cookiesWritten", "cookiesRead"] {
                let outcome = try await Program("engine-harness").run(name, folder.path, in: folder.path)
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
        }

        @Test("The harness fails for an unknown check")
        func unknownCheck() async throws {
            let outcome = try await Program("engine-harness").run("none", in: NSTemporaryDirectory())
            #expect(outcome.status == 1)
        }
    }
}

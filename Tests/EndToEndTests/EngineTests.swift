// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import ProgramTesting
import Testing

extension RealEngine {
    /// The adapter in the real engine, check by check.
    @Suite("WebKitGTK adapter", .timeLimit(.minutes(3)))
    struct EngineTests {
        @Test(
            "The engine does what the facade asks",
            arguments: [
                "userScripts", "messages", "messageReplies", "messageLimit", "messageNames", "messageOrigin", "cookies",
                "cookiesOutlive", "cookieBridge", "cookieLoss", "snapshot", "processEnd", "discardedView",
                "droppedView", "droppedEngines",
                "closedWindow",
                "reservedScheme",
                "schemeAgain", "containers", "documents", "failedHandOver", "scriptErrors", "pageGone", "blockedPort",
                "loadAfterLoad", "warmUp", "outsideOfLoop", "trust", "freshHosts", "proxyCredentials",
                "wrongCredentials",
                "otherCredentials", "socksCredentials",
            ])
        func check(_ name: String) async throws {
            let folder = try TemporaryFolder()
            let outcome = try await Program("engine-harness").run(name, folder.path, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test("Hosts that are excepted from the proxy are asked directly, and no others")
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

        @Test("Cookies of a page in custom-scheme mode are as in the plain engine")
        func pageCookies() async throws {
            try await run("pageCookies", fixture("cookies"))
        }

        @Test("Older pages hand over bodies and cookies as they did", arguments: ["scheme", "proxy", "server"])
        func legacy(mode: String) async throws {
            try await run("legacy", mode, fixture("legacy"))
        }

        @Test(
            "A view that is checked out again has nothing of the page before, and pages on screen keep what is theirs",
            arguments: ["scheme", "proxy"])
        func pool(mode: String) async throws {
            try await runPool("pool", mode, "40")
        }

        @Test("What a page leaves is found where nothing is cleaned, and views of lost processes are quarantined")
        func poolChecks() async throws {
            try await runPool("poolFinds")
            try await runPool("poolProcesses")
        }

        @Test("A page that closes as soon as it is loaded leaves its process to the next one")
        func poolHaste() async throws {
            try await runPool("poolHaste")
        }

        private func runPool(_ check: String, _ mode: String? = nil, _ cycles: String? = nil) async throws {
            try await run(check, mode, fixture("pool"), cycles)
        }

        /// Runs a check in a folder of its own, with what of these is there behind it.
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

        @Test("Caches that may have all there is keep to the ceiling of memory")
        func memoryCeiling() async throws {
            try await run("memoryCeiling")
        }

        @Test(
            "A page that stays white is loaded anew, without its package, and replaced",
            arguments: ["scheme", "proxy", "server"])
        func blankPages(mode: String) async throws {
            try await run("white", mode)
        }

        @Test(
            "A page that shows nothing for a reason is left alone, unless an app wants otherwise; one that hangs is not",
            arguments: ["scheme", "proxy", "server"])
        func quietPages(mode: String) async throws {
            try await run("blankPageLeft", mode)
            try await run("blankPageHang", mode)
            try await run("blankPageWanted", mode)
        }

        @Test(
            "What a page asks of the app gets the host's answer, or a safe one, and nothing hangs",
            arguments: ["plain", "scheme", "proxy", "server"])
        func asks(mode: String) async throws {
            try await run("asks", mode)
        }

        @Test(
            "What a page saves is on disk whole, as it came, or not at all",
            arguments: ["plain", "scheme", "proxy", "server"])
        func downloads(mode: String) async throws {
            try await run("downloads", mode)
        }

        @Test(
            "A kill in the middle of a download leaves no half file, and what the next launch removes",
            arguments: ["plain", "scheme", "proxy", "server"])
        func downloadKills(mode: String) async throws {
            let folder = try TemporaryFolder()
            let killed = try await Program("engine-harness").run("downloadKilled", folder.path, mode, in: folder.path)
            #expect(killed.status == -SIGKILL, "\(killed.errors)")
            let next = try await Program("engine-harness").run("downloadAfterKill", folder.path, mode, in: folder.path)
            #expect(next.status == 0, "\(next.errors)")
        }

        @Test(
            "A disk that becomes full costs one file, and none of its room",
            .enabled(if: SmallDisk.isAllowed, "skipped: cannot mount a tmpfs"), arguments: ["plain", "scheme", "proxy"])
        func fullDisk(mode: String) async throws {
            let disk = try SmallDisk(kilobytes: 4_096)
            try await run("downloadFull", mode, disk.path)
        }

        @Test(
            "What is fetched ahead is asked for once, as the engine asks for it, and given to its page",
            arguments: ["scheme", "proxy", "server"])
        func prefetch(mode: String) async throws {
            try await run("prefetch", mode)
        }

        @Test(
            "Pages call themselves as the app says, and find its values before their first script, each origin its own",
            arguments: ["scheme", "proxy", "server"])
        func pageOptions(mode: String) async throws {
            try await run("pageOptions", mode)
        }

        @Test(
            "A page's timeline has what the engine knows, in order, and the page cannot tell",
            arguments: ["scheme", "proxy", "plain"])
        func timeline(mode: String) async throws {
            try await run("timeline", mode)
        }

        @Test("One container opens pages by the proxy, by the scheme and plain, over the same cookies and packages")
        func modes() async throws {
            try await run("modes")
        }

        @Test("Cookies with an expiry are there in the next process")
        func persistentCookies() async throws {
            let folder = try TemporaryFolder()
            for name in ["cookiesWritten", "cookiesRead"] {
                let outcome = try await Program("engine-harness").run(name, folder.path, in: folder.path)
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
        }

        @Test("A check that does not exist fails, so the others mean something")
        func unknownCheck() async throws {
            let outcome = try await Program("engine-harness").run("none", in: NSTemporaryDirectory())
            #expect(outcome.status == 1)
        }
    }
}

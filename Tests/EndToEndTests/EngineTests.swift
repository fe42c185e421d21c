// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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
                "droppedView",
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
            let folder = try TemporaryFolder()
            let site = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("Fixtures/cookies").path
            let outcome = try await Program("engine-harness").run("pageCookies", folder.path, site, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test("Older pages hand over bodies and cookies as they did", arguments: ["scheme", "proxy", "server"])
        func legacy(mode: String) async throws {
            let folder = try TemporaryFolder()
            let site = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("Fixtures/legacy").path
            let outcome = try await Program("engine-harness").run("legacy", folder.path, mode, site, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test(
            "A view that is lent again has nothing of the page before, and pages on screen keep what is theirs",
            arguments: ["scheme", "proxy"])
        func pool(mode: String) async throws {
            try await runPool("pool", mode, "20")
        }

        @Test("What a page leaves is found where nothing is cleaned, and views of lost processes are quarantined")
        func poolChecks() async throws {
            try await runPool("poolFinds")
            try await runPool("poolProcesses")
        }

        private func runPool(_ check: String, _ mode: String? = nil, _ cycles: String? = nil) async throws {
            let folder = try TemporaryFolder()
            let site = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("Fixtures/pool").path
            let arguments = [check, folder.path] + [mode, site, cycles].compactMap(\.self)
            let outcome = try await Program("engine-harness").run(arguments, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test(
            "A page that stays white is loaded anew, without its package, and replaced",
            arguments: ["scheme", "proxy"])
        func whitePages(mode: String) async throws {
            let folder = try TemporaryFolder()
            let outcome = try await Program("engine-harness").run("white", folder.path, mode, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test(
            "What a page asks of the app gets the host's answer, or a safe one, and nothing hangs",
            arguments: ["plain", "scheme", "proxy"])
        func asks(mode: String) async throws {
            let folder = try TemporaryFolder()
            let outcome = try await Program("engine-harness").run("asks", folder.path, mode, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test(
            "What is fetched ahead is asked for once, as the engine asks for it, and given to its page",
            arguments: ["scheme", "proxy", "server"])
        func prefetch(mode: String) async throws {
            let folder = try TemporaryFolder()
            let outcome = try await Program("engine-harness").run("prefetch", folder.path, mode, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test(
            "Pages call themselves as the app says, and find its values before their first script, each origin its own",
            arguments: ["scheme", "proxy", "server"])
        func pageOptions(mode: String) async throws {
            let folder = try TemporaryFolder()
            let outcome = try await Program("engine-harness").run("pageOptions", folder.path, mode, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test(
            "A page's timeline has what the engine knows, in order, and the page cannot tell",
            arguments: ["scheme", "proxy", "plain"])
        func timeline(mode: String) async throws {
            let folder = try TemporaryFolder()
            let outcome = try await Program("engine-harness").run("timeline", folder.path, mode, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
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

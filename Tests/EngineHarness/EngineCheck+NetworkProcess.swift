// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

// A replaced network process of the engine, which has lost the configuration of the previous one.
extension EngineCheck {
    /// Checks that a killed network process costs at most one load, because certificates are trusted again.
    @MainActor
    func checkNetworkProcessEnd(_ engine: WebKitGTKEngine, _ mode: InterceptionMode, in folder: String) async throws {
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = MemoryTransport { _ in .page("<title>page</title>") }
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = mode
        configuration.network.coveredHosts = ["one.example"].compactMap { HostPattern($0) }
        let container = try await Container(engine: engine, configuration: configuration)
        let page = try await container.open("https://one.example/")
        try await page.load.finished(within: .seconds(20))
        let processes = try childProcesses(named: "WebKitNetworkPr")
        try expect(processes.count == 1, "network processes: \(processes)")
        kill(processes[0], SIGKILL)
        var failures: [String] = []
        for _ in 0..<2 {
            let next = try await container.open("https://one.example/")
            do {
                try await next.load.finished(within: .seconds(20))
                let title = try await next.view.evaluate("return document.title", in: .page)
                guard title == "\"page\"" else {
                    failures.append("a page without a title")
                    continue
                }
                await container.shutDown()
                return
            } catch let error as EngineError {
                failures.append("\(error)")
            }
        }
        throw CheckFailure(description: "no page opens after the kill: \(failures)")
    }
}

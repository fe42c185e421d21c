// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import WebEngine
internal import WebKitGTKAdapter

extension EngineCheck {
    /// Prints the conditions of the system: at the start, after each change, and for each line on standard input. The
    /// end of standard input ends the check.
    ///
    /// `Tests/Fixtures/system-services/conditions.py` changes the system and compares the lines.
    @MainActor
    func checkConditions(_ engine: WebKitGTKEngine) async throws {
        guard let source = engine.conditions else { throw CheckFailure(description: "no conditions") }
        let changes = source.changes()
        let printing = Task {
            for await conditions in changes { Self.report(conditions) }
        }
        defer { printing.cancel() }
        Self.report(source.conditions)
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let text = readLine() { line.yield(text) }
            line.finish()
        }
        for await _ in lines { Self.report(source.conditions) }
    }

    private static func report(_ conditions: HostConditions) {
        let words = [
            conditions.isIdle ? "idle" : "busy", conditions.network.rawValue, conditions.kind.rawValue,
            conditions.power.rawValue, conditions.memory.rawValue,
        ]
        FileHandle.standardOutput.write(Data((words.joined(separator: " ") + "\n").utf8))
    }

    /// Prints the routes to the hosts of URLs, one line for each URL.
    ///
    /// `Tests/Fixtures/system-services/proxies.py` compares the lines.
    @MainActor
    func checkSystemProxies(_ engine: WebKitGTKEngine, _ urls: [String]) async throws {
        guard let proxies = engine.systemProxies else { throw CheckFailure(description: "no proxies") }
        for text in urls {
            guard let url = URL(string: text), let host = url.host else { throw CheckFailure(description: text) }
            let isSecure = url.scheme == "https"
            let line: String
            do {
                let target = HostPort(host: host, port: url.port ?? (isSecure ? 443 : 80))
                let routes = try await proxies.routes(to: target, isSecure: isSecure)
                line = routes.map(Self.name).joined(separator: ", ")
            } catch {
                line = "error"
            }
            FileHandle.standardOutput.write(Data("\(text) -> \(line)\n".utf8))
        }
    }

    private static func name(_ route: ProxyRoute) -> String {
        switch route {
        case .direct: "direct"
        case .http(let proxy, _): "http \(proxy)"
        case .socks5(let proxy, _): "socks5 \(proxy)"
        }
    }
}

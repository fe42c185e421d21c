// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import HTTPTransport
internal import LoopbackServer
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

// The injected script from the page's perspective. A page is opened in the plain engine or in a mode of the container
// and executes the steps. The results are printed as JSON for comparison.
extension EngineCheck {
    /// A step with the page.
    private enum BridgeStep {
        /// Runs the body of an asynchronous function and records its result.
        case run(String)
        /// Runs the function in the current document until it returns `true`.
        case until(String)
        /// Resets the peak memory of the process.
        case forgetPeak
        /// Records the peak memory in KB.
        case peak
        /// Closes the page.
        case close
        /// Waits until the server has a record in the cell.
        case arrived(String)

        init(_ text: String) throws {
            let rest = text.firstIndex(of: ":").map { String(text[text.index(after: $0)...]) } ?? ""
            switch text.prefix(while: { $0 != ":" }) {
            case "run": self = .run(rest)
            case "until": self = .until(rest)
            case "forgetPeak": self = .forgetPeak
            case "peak": self = .peak
            case "close": self = .close
            case "arrived": self = .arrived(rest)
            default: throw CheckFailure(description: "no such step: \(text)")
            }
        }
    }

    /// The server of the page.
    private enum BridgeServer {
        case site(BridgeSite)
        /// The server of another program, without TLS.
        case port(Int)

        var url: String {
            switch self {
            case .site: "https://\(BodySite.host)"
            case .port: "http://\(BodySite.host)"
            }
        }

        var number: Int {
            switch self {
            case .site(let site): site.origin.port
            case .port(let port): port
            }
        }
    }

    /// Runs the steps of a bridge check.
    /// - Parameter arguments: The folder of the site or a port on loopback, the mode, the page's path, and the steps.
    @MainActor
    func runBridge(_ engine: WebKitGTKEngine, _ arguments: ArraySlice<String>, in folder: String) async throws {
        let arguments = Array(arguments)
        guard arguments.count >= 3, let mode = CheckedMode(rawValue: arguments[1]) else {
            throw CheckFailure(description: "specify a folder or a port, a mode, a path and steps")
        }
        let steps = try arguments[3...].map { try BridgeStep($0) }
        let server: BridgeServer =
            if let port = Int(arguments[0]) { .port(port) } else { .site(try await .start(folder: arguments[0])) }
        let url = server.url + arguments[2]
        var results: [String] = []
        if mode != .plain {
            var configuration = mode.configuration(ContainerConfiguration(directory: folder + "/store"))
            configuration.network.cookies.native = .none
            switch server {
            case .site(let site): configuration.network.transport = try site.transport()
            case .port(let port): configuration.network.transport = AddressedTransport(toPort: port)
            }
            configuration.network.coveredHosts = [HostPattern(BodySite.host)].compactMap(\.self)
            let past: ForwardProxy? =
                switch mode {
                case .scheme: try await reach(server, by: engine, at: BridgeSite.bareHost)
                case .document: try await reach(server, by: engine, at: BodySite.host)
                default: nil
                }
            defer { withExtendedLifetime(past) {} }
            let container = try await Container(engine: engine, configuration: configuration)
            let page = try await open(url, in: container)
            for step in steps {
                if case .close = step { await container.close(page) }
                try await run(step, in: page.view, of: server, into: &results)
            }
            await container.shutDown()
        } else {
            let proxy = try await reach(server, by: engine, at: BodySite.host)
            defer { withExtendedLifetime(proxy) {} }
            let view = try engine.makeView()
            let load = ViewLoad(of: view)
            view.load(url)
            try await load.finished(within: .seconds(20))
            for step in steps {
                if case .close = step { view.discard() }
                try await run(step, in: view, of: server, into: &results)
            }
        }
        var sent = "{}"
        if case .site(let site) = server {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            sent = String(decoding: try encoder.encode(site.recorder.bodies), as: UTF8.self)
        }
        let report = "{\"results\":[\(results.joined(separator: ","))],\"server\":\(sent)}\n"
        FileHandle.standardOutput.write(Data(report.utf8))
    }

    /// Makes the engine connect to the server for exactly one host, and trust the server's certificate there.
    @MainActor
    private func reach(_ server: BridgeServer, by engine: WebKitGTKEngine, at host: String) async throws -> ForwardProxy
    {
        var settings = ForwardProxy.Configuration()
        settings.route = { [port = server.number] target in
            guard target.host == host else { throw CheckFailure(description: "unexpected host \(target.host)") }
            return .loopback(port)
        }
        let proxy = try await ForwardProxy.start(settings)
        engine.setProxy(EngineProxy(host: "127.0.0.1", port: proxy.port))
        if case .site(let site) = server {
            try await engine.trust(EngineCertificate(der: site.origin.certificate ?? []), for: host)
        }
        return proxy
    }

    @MainActor
    private func run(
        _ step: BridgeStep, in view: WebKitGTKView, of server: BridgeServer, into results: inout [String]
    ) async throws {
        switch step {
        case .run(let code): results.append(try await view.evaluate(code, in: .page))
        case .until(let code):
            let end = ContinuousClock.now + .seconds(20)
            while (try? await view.evaluate(code, in: .page)) != "true" {
                let here = (try? await view.evaluate("return [location.href, document.title]", in: .page)) ?? "nothing"
                try expect(ContinuousClock.now < end, "never \(code), but \(here)")
            }
        case .forgetPeak: try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        case .peak:
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
            results.append(String(line.filter(\.isNumber)))
        case .close: break
        case .arrived(let cell):
            guard case .site(let site) = server else { return }
            await site.recorder.arrival(at: cell)
        }
    }
}

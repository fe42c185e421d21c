// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine

/// Pages that cause prompts, on a covered host and on an uncovered host. In modes in which the engine sends the
/// requests itself, they are on loopback servers, otherwise in memory.
struct AskSite {
    /// The origins without a final slash.
    let home: String
    let outside: String
    private let servers: [OriginServer]

    static func start(for mode: InterceptionMode) async throws -> AskSite {
        let memory = (home: "https://shop.example", outside: "https://outside.example")
        if [.customScheme, .loopbackProxy].contains(mode) {
            return AskSite(home: memory.home, outside: memory.outside, servers: [])
        }
        let outside = try await server(outside: "")
        // With the local server, the container receives only requests to the page's own host.
        if mode == .loopbackServer {
            return AskSite(home: memory.home, outside: "http://127.0.0.1:\(outside.port)", servers: [outside])
        }
        let home = try await server(outside: "http://127.0.0.1:\(outside.port)")
        return AskSite(
            home: "http://127.0.0.1:\(home.port)", outside: "http://127.0.0.1:\(outside.port)",
            servers: [home, outside])
    }

    private static func server(outside: String) async throws -> OriginServer {
        guard let any = OriginPathPattern("/*") else { throw CheckFailure(description: "not a pattern") }
        return try await OriginServer.start(
            OriginServer.Configuration(routes: [
                OriginRoute(.get, any) { request in
                    let answer = answer(to: request.path, outside: outside)
                    return OriginResponse(answer.status, headers: answer.fields, body: .bytes(Data(answer.text.utf8)))
                }
            ]))
    }

    func stop() async {
        for server in servers { await server.stop() }
    }

    func configuration(
        _ mode: InterceptionMode, in folder: String
    ) -> ContainerConfiguration {
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = MemoryTransport { [outside] request in
            let answer = Self.answer(to: request.path ?? "/", outside: outside)
            return TransportResponse(
                head: HTTPResponse(status: answer.status, headerFields: answer.fields),
                body: .bytes(Data(answer.text.utf8)))
        }
        configuration.pages.mode = mode
        configuration.network.coveredHosts = ["shop.example", "outside.example"].compactMap { HostPattern($0) }
        configuration.pages.requests.hosts = []
        return configuration
    }

    private static func answer(
        to path: String, outside: String
    ) -> (status: HTTPResponse.Status, fields: HTTPFields, text: String) {
        let page = { (title: String, body: String) in
            (
                HTTPResponse.Status.ok, HTTPFields([.init(name: .contentType, value: "text/html")]),
                "<!doctype html><title>\(title)</title>\(body)"
            )
        }
        switch path {
        case "/quiet":
            // The page navigates to another scheme without a user gesture.
            return page("quiet", "<script>location.href = 'tel:+1'; document.title = 'asked'</script>")
        case "/frame": return page("frame", "<a href='\(outside)/there'>o</a><iframe src='\(outside)/framed'></iframe>")
        case "/framed": return page("framed", "<script>parent.postMessage('here', '*')</script>")
        case "/moved": return (.found, [.location: outside + "/there"], "")
        case "/saved":
            return (.ok, [.contentType: "text/plain", .contentDisposition: "attachment; filename=saved.txt"], "saved")
        default:
            return page(
                String(path.dropFirst()),
                "<a id=tel href='tel:+123'>t</a><a id=blank target=_blank href='/blank?q'>b</a>"
                    + "<a id=save download=file.txt href='data:text/plain,x'>d</a>")
        }
    }
}

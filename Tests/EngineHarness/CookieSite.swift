// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerTesting
internal import Foundation
internal import HTTPTypes

/// A server with several names that sets cookies and returns the cookies that it receives.
enum CookieSite {
    static let hosts = ["www.example.com", "api.example.com", "example.org"]
    static let page = "https://www.example.com/page"

    /// Starts the server.
    /// - Parameter folder: The folder of the page's script.
    static func start(folder: String) async throws -> OriginServer {
        let script = try String(contentsOfFile: folder + "/cookies.js", encoding: .utf8)
        let answer: @Sendable (OriginRequest) -> OriginResponse = { request in
            var headers: HTTPFields = [.contentType: "text/plain;charset=utf-8", .cacheControl: "no-store"]
            headers[.accessControlAllowOrigin] = request.headers[.origin] ?? "*"
            if let credentials = HTTPField.Name("Access-Control-Allow-Credentials") { headers[credentials] = "true" }
            var body = ""
            var status = HTTPResponse.Status.ok
            switch request.path {
            case "/page":
                headers[.contentType] = "text/html"
                headers.append(HTTPField(name: .setCookie, value: "first=1; Path=/"))
                headers.append(HTTPField(name: .setCookie, value: "hidden=1; Path=/; HttpOnly"))
                body = "<!doctype html><meta charset=utf-8><body><script>\(script)</script>"
            case "/frame":
                headers[.contentType] = "text/html"
                body = "<p>"
            case "/set":
                headers[.setCookie] = request.query?.removingPercentEncoding
            case "/hop":
                status = .found
                headers[.setCookie] = "hop=1; Path=/"
                headers[.location] = "https://api.example.com/hop2"
            case "/hop2":
                status = .found
                headers[.setCookie] = "hop2=1; Domain=example.com; Path=/"
                headers[.location] = "https://www.example.com/echo"
            case "/clear":
                if let clear = HTTPField.Name("Clear-Site-Data") { headers[clear] = "\"cookies\"" }
            default:
                body = request.headers[values: .cookie].joined(separator: "; ")
            }
            return OriginResponse(status, headers: headers, body: .bytes(Data(body.utf8)))
        }
        guard let any = OriginPathPattern("/*") else { throw CheckFailure(description: "not a pattern") }
        var configuration = OriginServer.Configuration(routes: [
            OriginRoute(.get, any) { answer($0) }, OriginRoute(.post, any) { answer($0) },
        ])
        configuration.usesTLS = true
        return try await OriginServer.start(configuration)
    }
}

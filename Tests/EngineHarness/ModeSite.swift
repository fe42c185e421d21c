// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import ResourceLoading

/// A network in memory with one domain: pages, received data, and cookies.
final class ModeSite: HTTPTransporting {
    let capabilities: TransportCapabilities = []
    private let counts = Mutex<[String: Int]>([:])

    /// Returns the number of requests to a URL.
    func count(_ url: String) -> Int { counts.withLock { $0[url, default: 0] } }

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        counts.withLock { $0[request.urlText, default: 0] += 1 }
        var fields: HTTPFields = [.contentType: "text/plain", .cacheControl: "no-store"]
        let text: String
        switch request.path {
        case "/":
            fields[.contentType] = "text/html"
            text = """
                <!doctype html><title>\(request.authority ?? "")</title>
                <a id="proxied" href="https://m.shop.example/next">m</a>
                """
        case "/next":
            fields[.contentType] = "text/html"
            text = "<!doctype html><title>next</title>"
        case "/set":
            let host = request.authority?.prefix(1) ?? ""
            fields[.setCookie] = "\(host)=1; Domain=shop.example; Path=/; Secure; Max-Age=600"
            text = "set"
        case "/cookies": text = request.headerFields[.cookie] ?? ""
        case "/echo": text = String(decoding: try await body.collect(upTo: 1 << 20), as: UTF8.self)
        default: text = "network"
        }
        return TransportResponse(
            head: HTTPResponse(status: .ok, headerFields: fields), body: .bytes(Data(text.utf8)))
    }
}

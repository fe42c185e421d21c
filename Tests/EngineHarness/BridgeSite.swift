// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContainerTesting
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import PackageFormat
internal import ResourceLoading

/// The server for the checks of the injected script: files, a record of received bodies, and test responses.
///
/// - `/record/<cell>`: records the request in ``BodyRecorder``
/// - `/arrived/<cell>`: responds when the cell has a record
/// - `/echo`: the received header fields and body as text
/// - `/slow`: a first piece, and a second one after a request for `/go`
/// - `/to?<URL>`: 302 to the URL
/// - `/count/<cell>`: text with the number of requests, and the fields of the query
/// - `/moved`: for POST, 303 to `/landed`; `/same`: for POST, 303 to itself
/// - `/policy?<policy>`: the page `policy.html` with this policy
struct BridgeSite {
    /// The name of the server that the container does not cover.
    static let bareHost = "bare.example"

    let origin: OriginServer
    let recorder: BodyRecorder

    /// Starts the server.
    /// - Parameter folder: The folder of the page's files.
    static func start(folder: String) async throws -> BridgeSite {
        let recorder = BodyRecorder()
        let gate = Gate()
        let methods: [HTTPRequest.Method] = [.get, .post, .put]
        var routes = try methods.flatMap { method in
            [
                try route(method, "/record/*") { request in
                    recorder.record(request)
                    return html("recorded")
                },
                try route(method, "/echo*") { request in
                    let fields = request.headers.map { "\($0.name.rawName): \($0.value)" }.joined(separator: "\n")
                    return html(
                        "\(method) \(request.path)\n\(fields)\n\n\(String(decoding: request.body, as: UTF8.self))")
                },
                try route(method, "/slow") { _ in
                    OriginResponse(
                        headers: [.contentType: "text/plain"],
                        body: .stream(length: nil) { writer in
                            try await writer.write(Data("first".utf8))
                            await gate.opened()
                            try await writer.write(Data("second".utf8))
                        })
                },
                try route(method, "/never/*") { request in
                    recorder.record(request)
                    await gate.opened()
                    return html("late")
                },
            ]
        }
        for method in methods {
            routes.append(
                try route(method, "/to") { request in
                    OriginResponse(.found, headers: [.location: request.query?.removingPercentEncoding ?? "/"])
                })
        }
        let counts = Counts()
        routes += [
            try route(.get, "/count/*") { request in
                counts.next(of: request)
            },
            try route(.get, "/arrived/*") { request in
                await recorder.arrival(of: request)
                return html("recorded")
            },
            try route(.get, "/go") { _ in
                gate.open()
                return html("open")
            },
            try route(.post, "/moved") { request in
                recorder.record(request, as: "moved")
                return OriginResponse(.seeOther, headers: [.location: "/landed"])
            },
            try route(.get, "/landed") { _ in html("landed") },
            try route(.post, "/same") { request in
                recorder.record(request, as: "same")
                return OriginResponse(.seeOther, headers: [.location: "/same"])
            },
            try route(.get, "/same") { request in
                recorder.record(request, as: "same")
                return html("same")
            },
            try route(.get, "/policy") { request in
                let policy = request.query?.removingPercentEncoding ?? ""
                let page = try Data(contentsOf: URL(fileURLWithPath: folder + "/policy.html"))
                return OriginResponse(
                    headers: [.contentType: "text/html", .contentSecurityPolicy: policy], body: .bytes(page))
            },
        ]
        var configuration = OriginServer.Configuration(folder: folder, routes: routes)
        configuration.usesTLS = true
        return BridgeSite(origin: try await OriginServer.start(configuration), recorder: recorder)
    }

    /// Returns a transport that does not store a body posted to `/count`. The response contains the size and digest of
    /// the body.
    func transport() throws -> CountingTransport {
        CountingTransport(base: try BodySite(origin: origin, recorder: recorder).transport())
    }

    private static func route(
        _ method: HTTPRequest.Method, _ path: String,
        _ answer: @escaping @Sendable (OriginRequest) async throws -> OriginResponse
    ) throws -> OriginRoute {
        guard let pattern = OriginPathPattern(path) else { throw CheckFailure(description: "not a pattern: \(path)") }
        return OriginRoute(method, pattern, answer: answer)
    }

    private static func html(_ text: String) -> OriginResponse {
        OriginResponse(
            headers: [.contentType: "text/html", .cacheControl: "no-store"], body: .bytes(Data(text.utf8)))
    }
}

/// The transport of ``BridgeSite/transport()``.
struct CountingTransport: HTTPTransporting {
    let base: AddressedTransport

    var capabilities: TransportCapabilities { base.capabilities }
    var authorities: [CertificateAuthority] { base.authorities }

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        guard request.path == "/count" else { return try await base.send(request, body: body) }
        var count = 0
        var sum: UInt64 = 0
        if case .stream(let stream) = body {
            for try await piece in stream {
                for byte in piece { sum = sum &* 31 &+ UInt64(byte) }
                count += piece.count
            }
        }
        return TransportResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]),
            body: .bytes(Data("[\(count),\"\(sum)\"]".utf8)))
    }
}

/// A counter of requests by path.
private final class Counts: Sendable {
    private let state = Mutex<[String: Int]>([:])

    /// Returns the next response. The query contains the fields of the response, such as
    /// `Content-Type=text/css&ETag="1"`.
    func next(of request: OriginRequest) -> OriginResponse {
        let count = state.withLock { state in
            state[request.path, default: 0] += 1
            return state[request.path] ?? 0
        }
        var response = OriginResponse(headers: [.contentType: "text/plain"])
        for field in (request.query ?? "").split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
            if parts.count == 2, let name = HTTPField.Name(parts[0]) { response.headers[name] = parts[1] }
        }
        if let tag = response.headers[.eTag], request.headers[.ifNoneMatch] == tag {
            response.status = .notModified
        } else {
            let isScript = response.headers[.contentType] == "text/javascript"
            response.body = .bytes(Data((isScript ? "globalThis.count = \(count)" : "\(count)").utf8))
        }
        return response
    }
}

/// A gate that opens once for all waiting tasks.
private final class Gate: Sendable {
    private let state = Mutex((isOpen: false, waiting: [AsyncStream<Void>.Continuation]()))

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            return state.waiting
        }
        for one in waiting { one.finish() }
    }

    func opened() async {
        let (stream, end) = AsyncStream<Void>.makeStream()
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting.append(end) }
            return state.isOpen
        }
        if isOpen { return }
        for await _ in stream {}
    }
}

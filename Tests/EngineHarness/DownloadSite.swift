// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine

/// A page that downloads files. In plain mode it is on a loopback server, otherwise in memory.
struct DownloadSite {
    /// The origin without a final slash.
    let home: String
    private let server: OriginServer?
    private let trace: Trace

    static let bigPieces = 200
    static let piece = Data((0..<(256 << 10)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
    static let binary = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) })
    /// A download whose URLs must not be rewritten.
    static let attached = "<!doctype html><a href='https://shop.example/x'>x</a>"

    /// The requested paths, and the signal on which the site sends `Body.late`.
    final class Trace: Sendable {
        let paths = Mutex<[String]>([])
        let (late, release) = AsyncStream<Void>.makeStream()
    }

    enum Body {
        case bytes(Data)
        case pieces(Int)
        /// A body that breaks off after 5,000 of 10,000 bytes.
        case half
        /// A body with one piece that never ends.
        case endless
        /// A body that exceeds a small disk, without a length.
        case swelling
        /// A body that is sent after `release()`.
        case late
    }

    struct Answer {
        var status = HTTPResponse.Status.ok
        var fields: HTTPFields = [:]
        var body: Body
    }

    static func start(for mode: InterceptionMode) async throws -> DownloadSite {
        let trace = Trace()
        guard mode == .plain else {
            return DownloadSite(home: "https://shop.example", server: nil, trace: trace)
        }
        guard let any = OriginPathPattern("/*") else { throw CheckFailure(description: "not a pattern") }
        let server = try await OriginServer.start(
            OriginServer.Configuration(routes: [
                OriginRoute(.get, any) { request in
                    let answer = answer(to: request.path, cookie: request.headers[.cookie], trace)
                    return OriginResponse(answer.status, headers: answer.fields, body: answer.body.sent(trace))
                },
                OriginRoute(.post, any) { request in
                    let answer = posted(to: request.path, request.body, trace)
                    return OriginResponse(answer.status, headers: answer.fields, body: answer.body.sent(trace))
                },
            ]))
        return DownloadSite(home: "http://127.0.0.1:\(server.port)", server: server, trace: trace)
    }

    func stop() async { await server?.stop() }
    /// Sends the late file.
    func release() { trace.release.finish() }
    func count(_ path: String) -> Int { trace.paths.withLock { $0.count { $0 == path } } }

    func configuration(_ mode: InterceptionMode, in folder: String) -> ContainerConfiguration {
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = SiteTransport { [trace] request, body in
            guard request.authority == "shop.example" else { throw ResourceError(.offline, "no network") }
            let cookie = request.headerFields[.cookie]
            let path = request.path ?? "/"
            let answer =
                request.method == .post
                ? Self.posted(to: path, try await body.collect(upTo: 1_000), trace)
                : Self.answer(to: path, cookie: cookie, trace)
            return TransportResponse(
                head: HTTPResponse(status: answer.status, headerFields: answer.fields),
                body: answer.body.loaded(trace))
        }
        configuration.pages.mode = mode
        configuration.network.coveredHosts = ["shop.example"].compactMap { HostPattern($0) }
        return configuration
    }

    private static func posted(to path: String, _ body: Data, _ trace: Trace) -> Answer {
        trace.paths.withLock { $0.append(path) }
        return Answer(
            fields: [.contentType: "text/plain", .contentDisposition: "attachment; filename=posted.txt"],
            body: .bytes(Data("POST ".utf8) + body))
    }

    private static func answer(to path: String, cookie: String?, _ trace: Trace) -> Answer {
        trace.paths.withLock { $0.append(path) }
        let file = { (type: String, body: Body) in Answer(fields: [.contentType: type], body: body) }
        switch path {
        case "/plain": return file("text/plain", .bytes(Data("cookie: \(cookie ?? "")".utf8)))
        case "/binary", "/hidden": return file("application/octet-stream", .bytes(binary))
        case "/attached":
            return Answer(
                fields: [
                    .contentType: "text/html",
                    .contentDisposition: "attachment; filename=\"x.html\"; filename*=UTF-8''..%2Fr%C3%A9port.html",
                ], body: .bytes(Data(attached.utf8)))
        case "/moved": return Answer(status: .found, fields: [.location: "/binary"], body: .bytes(Data()))
        case "/none": return Answer(status: .notFound, fields: [.contentType: "text/plain"], body: .bytes(Data()))
        case "/swelling": return file("application/octet-stream", .swelling)
        case "/big": return file("application/octet-stream", .pieces(bigPieces))
        case "/half": return file("application/octet-stream", .half)
        case "/endless": return file("application/octet-stream", .endless)
        case "/late": return file("application/octet-stream", .late)
        default:
            let links = ["plain", "binary", "moved", "none", "half", "endless", "late", "big", "swelling"].map {
                "<a id=\($0) download='\($0).bin' href='/\($0)'>x</a>"
            }
            let page = """
                <!doctype html><title>home</title>\(links.joined())
                <a id=hostile download="../../.ssh/\u{202E}ev\u{7}il.txt" href="/hidden">x</a>
                <a id=data download="data.txt" href="data:text/plain,saved">x</a><a id=blob download="blob.bin">x</a>
                <script>
                    const bytes = new Uint8Array(100000).map((_, index) => index * 7 ^ index >> 9);
                    document.getElementById('blob').href = URL.createObjectURL(new Blob([bytes]));
                </script>
                """
            return Answer(
                fields: [.contentType: "text/html;charset=utf-8", .setCookie: "who=me; Path=/"],
                body: .bytes(Data(page.utf8)))
        }
    }
}

/// A network whose responses may depend on bodies.
private struct SiteTransport: HTTPTransporting {
    let capabilities: TransportCapabilities = []
    let answer: @Sendable (HTTPRequest, ResourceBody) async throws -> TransportResponse

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        try await answer(request, body)
    }
}

extension DownloadSite.Body {
    private struct BrokenOff: Error {}

    fileprivate func sent(_ trace: DownloadSite.Trace) -> OriginResponse.Body {
        switch self {
        case .bytes(let data): .bytes(data)
        case .pieces(let count):
            .stream(length: count * DownloadSite.piece.count) { writer in
                for _ in 0..<count { try await writer.write(DownloadSite.piece) }
            }
        case .half:
            .stream(length: 10_000) { writer in
                try await writer.write(Data(count: 5_000))
                throw BrokenOff()
            }
        case .endless:
            .stream(length: 1 << 20) { writer in
                try await writer.write(Data(count: 200_000))
                for await _ in AsyncStream<Void>.makeStream().stream {}
                throw BrokenOff()
            }
        case .swelling:
            .stream(length: nil) { writer in
                for _ in 0..<DownloadSite.bigPieces { try await writer.write(DownloadSite.piece) }
            }
        case .late:
            .stream(length: DownloadSite.binary.count) { writer in
                try await writer.write(DownloadSite.binary.prefix(50_000))
                for await _ in trace.late {}
                try await writer.write(DownloadSite.binary.dropFirst(50_000))
            }
        }
    }

    fileprivate func loaded(_ trace: DownloadSite.Trace) -> ResourceBody {
        let pieces = Mutex(0)
        let number: @Sendable () -> Int = {
            pieces.withLock { pieces in
                pieces += 1
                return pieces
            }
        }
        let stream = { (length: Int, next: @escaping @Sendable (Int) async throws -> Data?) -> ResourceBody in
            .stream(ByteStream(AsyncThrowingStream { try await next(number()) }, length: Int64(length)))
        }
        switch self {
        case .bytes(let data): return .bytes(data)
        case .pieces(let count):
            return stream(count * DownloadSite.piece.count) { $0 <= count ? DownloadSite.piece : nil }
        case .half:
            return stream(10_000) { number in
                guard number == 1 else { throw ResourceError(.connectionLost, "broken off") }
                return Data(count: 5_000)
            }
        case .endless:
            return stream(1 << 20) { number in
                if number == 1 { return Data(count: 200_000) }
                for await _ in AsyncStream<Void>.makeStream().stream {}
                throw CancellationError()
            }
        case .swelling:
            return .stream(
                ByteStream(
                    AsyncThrowingStream { number() <= DownloadSite.bigPieces ? DownloadSite.piece : nil }))
        case .late:
            return stream(DownloadSite.binary.count) { number in
                if number == 1 { return DownloadSite.binary.prefix(50_000) }
                for await _ in trace.late {}
                return number == 2 ? DownloadSite.binary.dropFirst(50_000) : nil
            }
        }
    }
}

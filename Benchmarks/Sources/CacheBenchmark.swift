// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
internal import HTTPCache
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Measures responses of the HTTP cache, bodies included. Responses from memory are compared with Foundation's
/// `URLCache`. Responses from disk, after the store is reopened, are compared with opening, reading and closing a file
/// of the same size.
struct CacheBenchmark {
    private static let entries = 2_000
    private static let hits = 20_000
    let place: Place
    let folder: ScratchFolder

    func run() async throws -> [Comparison] {
        CommandOutput.log("storing \(Self.entries) responses in \(place.name)")
        let target = try folder.subfolder("cache")
        defer { folder.remove(target) }
        let network = Origin()
        let plain = URLCache(memoryCapacity: 200 << 20, diskCapacity: 0, diskPath: nil)
        do {
            let loader = try CachingLoader(next: network, directory: target + "/store")
            for number in 0..<Self.entries {
                let request = try Self.request(number)
                _ = try await Self.body(of: request, from: loader, .network)
                try Data(Origin.bytes(number)).write(to: URL(fileURLWithPath: "\(target)/\(number)"))
                Self.store(number, in: plain)
            }
            await loader.shutDown()
        }
        let loader = try CachingLoader(next: network, directory: target + "/store")
        var (fromDisk, reads): ([Double], [Double]) = ([], [])
        for number in 0..<Self.entries {
            let request = try Self.request(number)
            fromDisk.append(try await microseconds { _ = try await Self.body(of: request, from: loader, .disk) })
            reads.append(
                try await microseconds { _ = try Data(contentsOf: URL(fileURLWithPath: "\(target)/\(number)")) })
        }
        var (fromMemory, theirs): ([Double], [Double]) = ([], [])
        // The number is small enough for the memory cache.
        for hit in 0..<Self.hits {
            let request = try Self.request(hit % 100)
            let source: Provenance.Source? = hit < 100 ? nil : .memory
            let time = try await microseconds { _ = try await Self.body(of: request, from: loader, source) }
            if hit >= 100 { fromMemory.append(time) }
            guard let url = URL(string: Self.url(hit % 100)) else { continue }
            let asked = URLRequest(url: url)
            theirs.append(
                try await microseconds {
                    guard plain.cachedResponse(for: asked)?.data.isEmpty == false else { throw Failure() }
                })
        }
        return [
            Comparison(
                name: "cache hit from disk, p50, \(place.name)", reference: "open, read and close",
                ours: Stopwatch.median(fromDisk), theirs: Stopwatch.median(reads), unit: "µs", bar: nil),
            Comparison(
                name: "cache hit from disk, p50", reference: "–", ours: Stopwatch.median(fromDisk), theirs: nil,
                unit: "µs", bar: 150),
            Comparison(
                name: "cache hit from memory, p50, \(place.name)", reference: "URLCache, the look-up alone",
                ours: Stopwatch.median(fromMemory), theirs: Stopwatch.median(theirs), unit: "µs", bar: nil),
            Comparison(
                name: "cache hit from memory, p50", reference: "–", ours: Stopwatch.median(fromMemory), theirs: nil,
                unit: "µs", bar: 20),
        ]
    }

    private static func body(
        of request: ResourceRequest, from loader: CachingLoader, _ source: Provenance.Source?
    ) async throws -> Data {
        guard let response = try await loader.load(request), source == nil || response.provenance.source == source
        else { throw Failure() }
        return try await response.body.collect(upTo: 1 << 20)
    }

    private static func store(_ number: Int, in cache: URLCache) {
        guard let url = URL(string: url(number)),
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Cache-Control": "max-age=600"])
        else { return }
        let cached = CachedURLResponse(response: response, data: Data(Origin.bytes(number)))
        cache.storeCachedResponse(cached, for: URLRequest(url: url))
    }

    private static func url(_ number: Int) -> String {
        "https://cdn.example.com/assets/\(number % 17)/chunk-\(number).js?v=\(number % 7)"
    }

    /// Returns a request with the header fields of an engine.
    private static func request(_ number: Int) throws -> ResourceRequest {
        let fields: HTTPFields = [
            .accept: "*/*", .acceptLanguage: "en-GB, en;q=0.90", .acceptEncoding: "gzip, deflate",
            .referer: "https://shop.example.com/", .origin: "https://shop.example.com",
            .userAgent:
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605",
        ]
        guard let head = HTTPRequest(urlText: url(number), headerFields: fields) else { throw Failure() }
        let page = PageReference(id: PageID(rawValue: 1), documentURL: "https://shop.example.com/index.html")
        return ResourceRequest(
            head, destination: .subresource, page: PageAttribution(page, confidence: .exact))
    }

    private func microseconds(_ body: () async throws -> Void) async rethrows -> Double {
        try await Stopwatch.seconds(body) * 1_000_000
    }

    /// A loader that responds like a static file server, with 1 to 40 KB and ten header fields.
    private struct Origin: ResourceLoader {
        static func bytes(_ number: Int) -> [UInt8] {
            [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1_000 + number * 7_919 % 39_000)
        }

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            let text = request.head.path.flatMap { $0.firstMatch(of: /chunk-(\d+)/)?.output.1 } ?? ""
            let bytes = Self.bytes(Int(text) ?? 0)
            let fields: HTTPFields = [
                .date: HTTPDate.format(Date()), .server: "nginx", .contentType: "text/javascript; charset=utf-8",
                .contentLength: "\(bytes.count)", .lastModified: "Wed, 01 Oct 2025 10:00:00 GMT",
                .eTag: "\"68dd0a20-\(bytes.count)\"", .cacheControl: "public, max-age=31536000, immutable",
                .vary: "Accept-Encoding", .accessControlAllowOrigin: "*", .acceptRanges: "bytes",
            ]
            return ResourceResponse(
                head: HTTPResponse(status: .ok, headerFields: fields), body: .bytes(Data(bytes)),
                provenance: Provenance(.network, reason: "the origin"))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
@_spi(Fuzzing) internal import SchemeMode

/// Compares the rewriting of documents and style sheets with Foundation's replacement of strings, which parses no HTML
/// or CSS. It also measures the cost of a response that is not rewritten.
struct RewritingBenchmark {
    let rounds: Int
    private static let loads = 20_000

    func run() async throws -> [Comparison] {
        let document = Self.document(sections: 6_000)
        let sheet = Self.sheet(rules: 12_000)
        let context = RewritingContext(names: .standard, url: "https://shop.example/") { url, _ in
            url.hasPrefix("https://cdn.example/")
        }
        var results = [
            try compare("document", document) { HTMLRewriter(context) },
            try compare("style sheet", sheet) { CSSRewriter(context) },
        ]
        results.append(try await passing())
        return results
    }

    /// Compares the times in milliseconds for a text in pieces of 16 KiB, as a network delivers it.
    private func compare(_ name: String, _ text: Data, _ make: () -> some TextRewriting) throws -> Comparison {
        var ours: [Double] = []
        var theirs: [Double] = []
        let pieces = stride(from: 0, to: text.count, by: 16 << 10).map { text[$0..<min($0 + (16 << 10), text.count)] }
        for _ in 0..<max(rounds, 3) {
            var count = 0
            ours.append(
                try Stopwatch.seconds {
                    var rewriter = make()
                    for piece in pieces { count += rewriter.feed(piece).count }
                    count += rewriter.finish().count
                    guard count > text.count else { throw Failure() }
                })
            theirs.append(
                try Stopwatch.seconds {
                    var replaced = 0
                    for piece in pieces {
                        let text = String(decoding: piece, as: UTF8.self)
                        replaced +=
                            text.replacingOccurrences(of: "https://cdn.", with: "containerkit://cdn.").utf8.count
                    }
                    guard replaced > text.count else { throw Failure() }
                })
        }
        return Comparison(
            name: "\(name) of \(text.count / 1_000) kB rewritten", reference: "replacingOccurrences",
            ours: Stopwatch.median(ours) * 1_000, theirs: Stopwatch.median(theirs) * 1_000, unit: "ms", bar: 1)
    }

    // MARK: Responses that are not rewritten

    private struct Picture: ResourceLoader {
        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            ResourceResponse(
                head: HTTPResponse(
                    status: .ok,
                    headerFields: [
                        .contentType: "image/webp", .contentLength: "4", .eTag: "\"a\"", .cacheControl: "max-age=60",
                        .acceptRanges: "bytes", .date: "Thu, 01 Jan 1970 00:00:00 GMT",
                    ]), body: .bytes(Data([1, 2, 3, 4])), provenance: Provenance(.memory, reason: "benchmark"))
        }
    }

    private func passing() async throws -> Comparison {
        guard let head = HTTPRequest(urlText: "https://cdn.example/a.webp") else { throw Failure() }
        let request = ResourceRequest(head, destination: .subresource)
        let bare = try await median(Picture(), request)
        let through = try await median(RewritingLoader(Picture(), names: .standard) { _, _ in true }, request)
        return Comparison(
            name: "answer of another type passed, p50, above the loader's", reference: "–",
            ours: max(0, through - bare),
            theirs: nil, unit: "µs", bar: 2)
    }

    private func median(_ loader: any ResourceLoader, _ request: ResourceRequest) async throws -> Double {
        var times: [Double] = []
        for _ in 0..<Self.loads {
            times.append(
                try await Stopwatch.seconds {
                    guard try await loader.load(request) != nil else { throw Failure() }
                } * 1_000_000)
        }
        return Stopwatch.median(times)
    }

    // MARK: Texts

    private static func document(sections: Int) -> Data {
        var text =
            "<!DOCTYPE html><html><head><title>Shop</title><style>\(String(decoding: sheet(rules: 50), as: UTF8.self))</style></head><body>"
        for number in 0..<sections {
            text += """
                <section class="card card-\(number)" data-id="\(number)"><!-- \(number) -->
                  <a class="link" href="/item/\(number)?from=list&amp;page=2"><img alt="Item \(number)" src="https://cdn.example/img/\(number).webp" loading="lazy"></a>
                  <p class="text">Some words about item \(number), its price and what others say of it: \(number % 97) times.</p>
                </section>

                """
        }
        return Data((text + "</body></html>").utf8)
    }

    private static func sheet(rules: Int) -> Data {
        var text = "@import \"https://cdn.example/base.css\";\n"
        for number in 0..<rules {
            text +=
                ".card-\(number) > a:hover { color: #12ab\(number % 90 + 10); margin: 0 auto 1.5em; content: \"x\" }\n"
            if number % 8 == 0 {
                text += ".i\(number) { background: url(https://cdn.example/i/\(number).svg) no-repeat }\n"
            }
        }
        return Data(text.utf8)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
@_spi(Fuzzing) import SchemeMode

/// Returns the context of a page at `https://shop.example/dir/page`. `shop.example` and `cdn.example` are covered, and
/// `part.example` below `/app/`.
func shopContext(_ url: String = "https://shop.example/dir/page") -> RewritingContext {
    RewritingContext(names: .standard, url: url) { url, _ in isCovered(url) }
}

func isCovered(_ url: String) -> Bool {
    let rest = url.drop { $0 != ":" }.dropFirst(3)
    return ["shop.example/", "cdn.example/", "cdn.example:8443/", "part.example/app/"].contains { rest.hasPrefix($0) }
}

func rewritten(_ html: String, _ context: RewritingContext = shopContext(), syntax: DocumentSyntax = .html) -> String {
    var rewriter = HTMLRewriter(context, syntax: syntax)
    return String(decoding: rewriter.rewrite(Data(html.utf8)), as: UTF8.self)
}

func rewrittenCSS(_ css: String, _ context: RewritingContext = shopContext()) -> String {
    var rewriter = CSSRewriter(context)
    return String(decoding: rewriter.rewrite(Data(css.utf8)), as: UTF8.self)
}

extension TextRewriting {
    /// Returns the output for a text in these pieces.
    mutating func rewrite(pieces: [Data]) -> Data {
        var result = Data()
        for piece in pieces { result += feed(piece) }
        return result + finish()
    }
}

/// Digests that are cheap to compute: the sum of the bytes, repeated to the length of the digest.
struct SumHashing: IntegrityHashing {
    func digest(of data: Data, by algorithm: IntegrityAlgorithm) -> [UInt8] {
        let sum = data.reduce(UInt8(0)) { $0 &* 31 &+ $1 }
        let count =
            switch algorithm {
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        return Array(repeating: sum, count: count)
    }

    /// Returns the value of `integrity` for a text.
    func metadata(of text: String, by algorithm: IntegrityAlgorithm = .sha384) -> String {
        "\(algorithm.rawValue)-\(Data(digest(of: Data(text.utf8), by: algorithm)).base64EncodedString())"
    }
}

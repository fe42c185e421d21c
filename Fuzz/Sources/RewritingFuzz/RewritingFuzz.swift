// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
@_spi(Facade) @_spi(Fuzzing) internal import SchemeMode

/// Fuzzes the rewriting of documents and style sheets. The first byte sets the length of the pieces into which the text
/// is split.
///
/// The result must not depend on the pieces. If the text contains neither a covered URL nor a reference without a
/// scheme, the bytes must not change. Without held resources, no document changes in document mode.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRewriting(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = bytes.map { Data(bytes: $0, count: count) } ?? Data()
    guard let first = data.first else { return 0 }
    let text = Data(data.dropFirst())
    let step = Int(first) % 23 + 1
    for covers in [true, false] {
        let context = RewritingContext(names: .standard, url: "https://shop.example/dir/page") { _, _ in covers }
        var limits = HTMLRewriter.Limits()
        limits.maxTagBytes = 4_096
        expect({ HTMLRewriter(context, limits: limits) { _, _ in true } }, text, step, "document")
        expect({ HTMLRewriter(context, syntax: .xml, limits: limits) }, text, step, "XML")
        expect({ CSSRewriter(context) }, text, step, "style sheet")
        guard !covers, !text.contains(UInt8(ascii: "/")), !text.contains(UInt8(ascii: "\\")) else { continue }
        // Without a slash, literal or as a character reference, there is no host and therefore no URL to rewrite. A
        // Content Security Policy is always extended.
        guard !text.contains(UInt8(ascii: "&")), text.range(of: Data("http".utf8)) == nil, !mentionsPolicy(text) else {
            continue
        }
        var rewriter = HTMLRewriter(context)
        Fuzz.expect(rewriter.rewrite(text) == text, "unexpected change")
    }
    for holds in [true, false] {
        let rewriter = HeldResourceRewriter(names: .standard) { _ in holds }
        let url = "https://shop.example/dir/page"
        let document = rewriter.document(
            text, at: url, policies: [], referrerPolicy: nil, contentLanguage: nil, refresh: nil)
        let mayHavePolicy = mentionsPolicy(text) || text.contains(UInt8(ascii: "&"))
        Fuzz.expect(holds || mayHavePolicy || document == text, "unexpected change in document mode")
        _ = rewriter.styleSheet(text, at: url, requestedURL: url, charset: first & 1 == 0 ? nil : "shift_jis")
    }
    return 0
}

private func mentionsPolicy(_ text: Data) -> Bool {
    String(decoding: text, as: UTF8.self).lowercased().contains("policy")
}

/// Checks that the result is the same for the whole text and for its pieces.
private func expect(_ make: () -> some TextRewriting, _ text: Data, _ step: Int, _ what: String) {
    var whole = make()
    let expected = whole.rewrite(text)
    var split = make()
    var result = Data()
    for start in stride(from: 0, to: text.count, by: step) {
        result += split.feed(text[start..<min(start + step, text.count)])
    }
    result += split.finish()
    Fuzz.expect(result == expected, "the result for a \(what) differs in pieces of \(step)")
    // A reference grows by the length of the scheme, and a policy by a few dozen bytes for each covered form.
    Fuzz.expect(expected.count <= text.count * 64 + 1_024, "\(text.count) bytes became \(expected.count)")
}

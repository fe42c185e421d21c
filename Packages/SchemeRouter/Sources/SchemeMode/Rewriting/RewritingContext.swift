// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import ResourceLoading
internal import WebSyntax

/// What a text is rewritten for: the names of this mode, what is covered, and where the text lies.
@_spi(Fuzzing) public struct RewritingContext: Sendable {
    /// The names that covered URLs get.
    public var names: SchemeNames
    /// The real URL of the text itself, which relative URLs in it start from.
    public var url: String
    /// The real URL of the page that loads it; the same as ``url`` for a page's own document.
    public var page: String
    /// Whether `http` URLs are loaded by `https`, as `upgrade-insecure-requests` demands. False by default.
    public var upgradesInsecureRequests = false
    /// Whether the text's charset has letters whose second byte may be one of ASCII, such as Shift_JIS. False by default.
    public var hasTwoByteLetters = false
    /// Whether the charset is known from outside, so that what the text says of it does not count. False by default.
    public var hasCharset = false
    /// The real URL by which the engine knows a style sheet that lies at ``url`` in the end; `nil` where it is the same.
    var asked: String?
    /// The charset of the document that a style sheet belongs to; `nil` where it is not known.
    var environment: TextCharset?
    /// Of a document's first `<base href>`: what relative URLs start from.
    private(set) var base: String?
    /// Whether ``base`` has a name, so that what starts from it has one, too.
    private var isBaseNamed = true
    let covers: @Sendable (_ url: String, _ page: String) -> Bool

    /// - Parameters:
    ///   - names: the names that covered URLs get.
    ///   - url: the real, absolute URL of the text.
    ///   - page: the real, absolute URL of the page that loads it; the same as `url` by default.
    ///   - covers: whether the page's request for a real URL is answered under its name. A document asks for itself.
    public init(
        names: SchemeNames, url: String, page: String? = nil,
        covers: @escaping @Sendable (_ url: String, _ page: String) -> Bool
    ) {
        self.names = names
        self.url = url
        self.page = page ?? url
        self.covers = covers
    }

    /// `https` or `http`: how URLs without a scheme are loaded.
    var scheme: String {
        Self.scheme(of: base ?? url)
    }

    /// The real scheme of the name that the engine completes URLs without a scheme from; `nil` where that is no name.
    var namedScheme: String? {
        isBaseNamed ? Self.scheme(of: base ?? asked ?? url) : nil
    }

    /// Sets what relative URLs start from.
    /// - Parameter reference: of a `<base>`.
    mutating func setBase(_ reference: String) {
        guard let base = RealURL.resolve(reference, against: url) else {
            // One of another scheme does not count, and no other in its place.
            base = url
            return
        }
        // What names no host lies under the document's name.
        let isRelative = RealURL.resolve(reference, against: "\(scheme)://base.invalid/").map {
            WebOrigin.host(of: $0) == "base.invalid"
        }
        isBaseNamed = isRelative == true || covers(base, page)
        self.base = base
    }

    private static func scheme(of url: String) -> String {
        url.utf8.prefix(5).startsIgnoringCase("http:") ? "http" : "https"
    }
}

/// Rewrites a text that arrives in pieces. The same bytes come out, whatever the pieces are.
@_spi(Fuzzing) public protocol TextRewriting: Sendable {
    /// Takes the next piece.
    /// - Returns: what is known to be final by now; possibly nothing, possibly more than went in.
    mutating func feed(_ piece: Data) -> Data
    /// The text is over.
    /// - Returns: what was held back.
    mutating func finish() -> Data
}

@_spi(Fuzzing) extension TextRewriting {
    /// Rewrites a text that is whole.
    public mutating func rewrite(_ text: Data) -> Data {
        feed(text) + finish()
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import WebSyntax

/// A rewriter of complete texts for document mode, in which the engine loads a document under its real URL. Only URLs
/// of resources that the container holds become custom-scheme URLs. All other bytes are unchanged, and the engine loads
/// everything else itself.
///
/// The engine loads navigations, frames, `<object>`, `<embed>`, SVG elements of other documents, manifests, and style
/// sheets with `integrity` under their real URLs. Scripts, images, media and links of held resources get `crossorigin`,
/// because engines permit loads from a custom scheme with CORS only. If one URL of such an element is neither held nor
/// of the document's origin, the element is unchanged, because the server may not permit CORS.
///
/// Limits: those of `HTMLRewriter` and `CSSRewriter`. Longer tags, import maps and URLs of documents are unchanged. A
/// style sheet in a charset that is not ASCII-compatible is unchanged. Isolation: any.
@_spi(Facade) public struct HeldResourceRewriter: Sendable {
    private let names: SchemeNames
    private let moduleFolders: [String]
    private let holds: @Sendable (_ url: String) -> Bool

    /// Creates a rewriter.
    /// - Parameters:
    ///   - names: The custom schemes that URLs of held resources receive.
    ///   - moduleFolders: The real URLs of folders, which end in a slash. All modules below them receive custom-scheme
    ///     URLs, also if the container does not hold them: a module that is imported under both URLs would run twice.
    ///   - holds: A closure that returns whether the container holds the response to a GET request for an absolute real
    ///     URL. The URL has no fragment, and the escapes of the URL parser. The closure may read from disk.
    public init(
        names: SchemeNames, moduleFolders: [String] = [], holds: @escaping @Sendable (_ url: String) -> Bool
    ) {
        self.names = names
        self.moduleFolders = moduleFolders
        self.holds = holds
    }

    /// Returns a document with custom-scheme URLs of held resources. Header fields become `<meta>` elements at the
    /// start of the head, because the engine does not receive the fields with the document.
    /// - Parameters:
    ///   - html: The complete document in UTF-8. Declarations of another charset are ignored. XML is not supported.
    ///   - url: The real URL of the document.
    ///   - policies: The values of `Content-Security-Policy`. Directives that `<meta>` does not support are omitted.
    ///   - referrerPolicy: The value of `Referrer-Policy`; `nil` if there is none.
    ///   - contentLanguage: The value of `Content-Language`. Several languages are omitted, as in a `<meta>` element.
    ///   - refresh: The value of `Refresh`; `nil` if there is none.
    public func document(
        _ html: Data, at url: String, policies: [String], referrerPolicy: String?, contentLanguage: String?,
        refresh: String?
    ) -> Data {
        var context = context(at: url)
        context.isUTF8 = true
        context.hasCharset = true
        context.upgradesInsecureRequests = policies.contains { PolicyField.upgradesInsecureRequests(Array($0.utf8)) }
        var head = ""
        for policy in policies.flatMap({ PolicyField.metaValues(of: $0, in: context) }) {
            head += Self.meta("http-equiv", "content-security-policy", policy)
        }
        if let policy = referrerPolicy.flatMap(Self.effective(referrerPolicy:)) {
            head += Self.meta("name", "referrer", policy)
        }
        if let contentLanguage, !contentLanguage.isEmpty, !contentLanguage.contains(",") {
            head += Self.meta("http-equiv", "content-language", contentLanguage)
        }
        if let refresh, !refresh.isEmpty { head += Self.meta("http-equiv", "refresh", refresh) }
        var rewriter = HTMLRewriter(context)
        rewriter.headStart = Array(head.utf8)
        return rewriter.rewrite(html)
    }

    /// Returns a style sheet in which relative URLs keep their meaning under a custom-scheme URL. URLs of held
    /// resources resolve to custom-scheme URLs, and all others to real URLs.
    /// - Parameters:
    ///   - css: The complete style sheet.
    ///   - url: The real URL of the style sheet; the final URL if it was redirected.
    ///   - requestedURL: The real URL whose custom-scheme URL the engine requested.
    ///   - charset: The charset of `Content-Type`; `nil` if there is none. The style sheet is then UTF-8, unless it
    ///     declares another charset.
    public func styleSheet(_ css: Data, at url: String, requestedURL: String, charset: String?) -> Data {
        var context = context(at: url)
        context.requestedURL = RealURL.canonical(requestedURL) ?? requestedURL
        context.environment = .utf8
        let charset = charset.map { TextCharset(label: $0) }
        // A byte order mark overrides the charset of the field.
        if charset == .opaque, !css.starts(with: [0xEF, 0xBB, 0xBF]) { return css }
        context.hasCharset = charset != nil
        context.hasTwoByteLetters = charset == .twoByte
        context.isUTF8 = charset == .utf8
        var rewriter = CSSRewriter(context)
        return rewriter.rewrite(css)
    }

    private func context(at url: String) -> RewritingContext {
        var context = RewritingContext(names: names, url: RealURL.canonical(url) ?? url) { [holds] url, _ in holds(url)
        }
        context.selection = .held
        context.moduleFolders = moduleFolders
        return context
    }

    private static func meta(_ attribute: String, _ name: String, _ content: String) -> String {
        let escaped = content.utf8.flatMap { CharacterReferences.escape($0, quote: UInt8(ascii: "\"")) ?? [$0] }
        return "<meta \(attribute)=\"\(name)\" content=\"\(String(decoding: escaped, as: UTF8.self))\">"
    }

    /// Returns the last valid token of `Referrer-Policy` (Referrer Policy, section 8.1). A `<meta>` element takes one
    /// token.
    private static func effective(referrerPolicy: String) -> String? {
        referrerPolicy.split(separator: ",").reversed().lazy
            .map { $0.filter { !$0.isWhitespace }.asciiLowercased }
            .first { Self.referrerPolicies.contains($0) }
    }

    private static let referrerPolicies: Set = [
        "no-referrer", "no-referrer-when-downgrade", "origin", "origin-when-cross-origin", "same-origin",
        "strict-origin", "strict-origin-when-cross-origin", "unsafe-url",
    ]
}

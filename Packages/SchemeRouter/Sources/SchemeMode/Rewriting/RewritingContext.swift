// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What a text is rewritten for: the names of this mode, what is covered, and where the text lies.
public struct RewritingContext: Sendable {
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
    let covers: @Sendable (_ url: String, _ page: String) -> Bool

    /// - Parameters:
    ///   - url: real and absolute.
    ///   - page: real and absolute; the same as `url` by default.
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
        url.utf8.prefix(5).startsIgnoringCase("http:") ? "http" : "https"
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import ResourceLoading
internal import WebSyntax

/// The context of a rewritten text: the custom schemes, the covered URLs and the URL of the text.
@_spi(Fuzzing) public struct RewritingContext: Sendable {
    /// The URLs that receive custom-scheme URLs.
    enum Selection {
        /// All covered URLs, resources and navigations: custom-scheme mode. The engine loads the text itself under a
        /// custom-scheme URL.
        case covered
        /// The URLs of resources that the container holds: document mode. The engine loads the document under its real
        /// URL, and a style sheet under the custom-scheme URL of ``requestedURL``.
        case held
    }

    /// The custom schemes that covered URLs receive.
    public var names: SchemeNames
    /// The real URL of the text, against which relative URLs are resolved.
    public var url: String
    /// The real URL of the page that loads the text; equal to ``url`` for a page's own document.
    public var page: String
    /// A Boolean value that indicates whether `http` URLs are loaded over `https`, as `upgrade-insecure-requests`
    /// requires; `false` by default.
    public var upgradesInsecureRequests = false
    /// A Boolean value that indicates whether the charset has characters whose second byte may be in the ASCII range,
    /// as in Shift_JIS; `false` by default.
    public var hasTwoByteLetters = false
    /// A Boolean value that indicates whether the response declares the charset, so that declarations in the text are
    /// ignored; `false` by default.
    public var hasCharset = false
    /// The URLs that receive custom-scheme URLs; all covered URLs by default.
    var selection = Selection.covered
    /// A Boolean value that indicates whether the text is known to be UTF-8. URLs of held resources may then contain
    /// characters beyond ASCII; `false` by default.
    var isUTF8 = false
    /// The real URL that the engine requested for a style sheet; `nil` if it is ``url`` and the selection is
    /// ``Selection/covered``.
    var requestedURL: String?
    /// The real URLs of folders whose modules all receive custom-scheme URLs, also if they are not held: a module at
    /// its real URL and at its custom-scheme URL would run twice. Empty by default.
    var moduleFolders: [String] = []
    /// A Boolean value that indicates whether the URLs are those of modules; `false` by default.
    var areModules = false
    /// The charset of the document that uses a style sheet; `nil` if unknown.
    var environment: TextCharset?
    /// The URL of a document's first `<base href>`, against which relative URLs are resolved.
    private(set) var base: String?
    /// A Boolean value that indicates whether ``base`` is a custom-scheme URL, so that relative URLs resolve to
    /// custom-scheme URLs.
    private var isBaseNamed = true
    let covers: @Sendable (_ url: String, _ page: String) -> Bool

    /// Creates a context.
    /// - Parameters:
    ///   - names: The custom schemes that covered URLs receive.
    ///   - url: The real, absolute URL of the text.
    ///   - page: The real, absolute URL of the page that loads the text; `url` by default.
    ///   - covers: A closure that returns whether a page's request for a real URL is handled under its custom-scheme
    ///     URL. The page of a document request is the document itself.
    public init(
        names: SchemeNames, url: String, page: String? = nil,
        covers: @escaping @Sendable (_ url: String, _ page: String) -> Bool
    ) {
        self.names = names
        self.url = url
        self.page = page ?? url
        self.covers = covers
    }

    /// The scheme of URLs without a scheme: `https` or `http`.
    var scheme: String {
        Self.scheme(of: base ?? url)
    }

    /// The real scheme that corresponds to the custom scheme of URLs without a scheme; `nil` if the engine resolves
    /// them to a real scheme.
    var namedScheme: String? {
        isBaseNamed ? Self.scheme(of: base ?? requestedURL ?? url) : nil
    }

    /// Returns a Boolean value that indicates whether the container holds the resource of a real URL. An `http` URL in
    /// an `https` page is mixed content, which the engine blocks or upgrades.
    func holds(_ url: String) -> Bool {
        (Self.scheme(of: url) == "https" || Self.scheme(of: page) == "http")
            && (isModuleOfFolder(url) || covers(url, page))
    }

    /// Returns a Boolean value that indicates whether a URL is that of a module, or of a folder of modules, below
    /// ``moduleFolders``.
    func isModuleOfFolder(_ url: String) -> Bool {
        areModules && moduleFolders.contains { url.utf8.starts(with: $0.utf8) }
    }

    /// Sets the base URL of relative URLs.
    /// - Parameter reference: The `href` of a `<base>`.
    mutating func setBase(_ reference: String) {
        guard selection == .covered else {
            switch URLReference.target(of: reference.utf8, in: self) {
            case .document: base = base ?? url
            case .resource(let url): base = RealURL.canonical(url) ?? url
            // Relative URLs have no known meaning and stay unchanged.
            case .other, .unknown: base = "about:blank"
            }
            return
        }
        // The document of a `srcdoc` inherits the base URL of its page.
        guard let base = RealURL.resolve(reference, against: base ?? url) else {
            // A base URL with another scheme is ignored, and so is every later `<base>`.
            base = base ?? url
            return
        }
        // A base URL without a host uses the scheme of the previous base URL.
        let isRelative = RealURL.resolve(reference, against: "\(scheme)://base.invalid/").map {
            WebOrigin.host(of: $0) == "base.invalid"
        }
        if isRelative != true { isBaseNamed = covers(base, page) }
        self.base = base
    }

    private static func scheme(of url: String) -> String {
        url.utf8.prefix(5).startsIgnoringCase("http:") ? "http" : "https"
    }
}

/// A streaming rewriter of a text. The output is independent of the division into pieces.
@_spi(Fuzzing) public protocol TextRewriting: Sendable {
    /// Processes the next piece.
    /// - Returns: The finished output; it may be empty or longer than the piece.
    mutating func feed(_ piece: Data) -> Data
    /// Ends the text.
    /// - Returns: The remaining output.
    mutating func finish() -> Data
}

@_spi(Fuzzing) extension TextRewriting {
    /// Rewrites a complete text.
    public mutating func rewrite(_ text: Data) -> Data {
        feed(text) + finish()
    }
}

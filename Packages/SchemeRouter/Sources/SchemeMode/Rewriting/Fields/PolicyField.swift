// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The rewriter of `Content-Security-Policy` values (CSP Level 3, sections 2.2 and 2.3), which preserves their meaning
/// on a custom scheme.
///
/// No source is removed; equivalent sources are added. Permission for a real URL implies permission for its
/// custom-scheme URL. For a host that is not covered, the added source has no effect, because its custom-scheme URL has
/// no response. `'self'` also permits the page's real origin, for requests of scripts that bypass the container. A host
/// without a scheme permits the page's scheme, which is a custom scheme for the engine, so a source with the real
/// scheme is added. Report URLs are resolved to real URLs.
///
/// In document mode, the engine knows the real origin. Only the directives for resources get sources, and only those
/// with a custom scheme.
struct PolicyField {
    private let bytes: [UInt8]
    private let context: RewritingContext
    /// The host and port of the page.
    private let authority: String
    private var edits: [ByteEdit] = []

    /// Returns a Boolean value that indicates whether a `<meta http-equiv>` name is the name of a policy.
    static func isName(_ name: [UInt8]) -> Bool {
        name.equalsIgnoringCase("content-security-policy")
    }

    /// Returns the edits of a value.
    /// - Parameters:
    ///   - bytes: One policy, or several policies separated by commas.
    ///   - context: The context of the document.
    static func edits(of bytes: [UInt8], in context: RewritingContext) -> [ByteEdit] {
        guard let authority = WebOrigin(url: context.url)?.authority else { return [] }
        var field = PolicyField(bytes: bytes, context: context, authority: authority)
        for directive in directives(of: bytes) { field.collect(directive) }
        return field.edits
    }

    /// Rewrites the value of a header field.
    static func rewrite(_ value: String, in context: RewritingContext) -> String {
        let bytes = Array(value.utf8)
        let edits = edits(of: bytes, in: context)
        return edits.isEmpty ? value : String(decoding: ByteEdit.apply(edits, to: bytes), as: UTF8.self)
    }

    /// Returns the policies of a header field as values of `<meta>` elements, which hold one policy each and do not
    /// support all directives (HTML, section "Content security policy state").
    static func metaValues(of value: String, in context: RewritingContext) -> [String] {
        rewrite(value, in: context).split(separator: ",").compactMap { policy in
            let directives = policy.split(separator: ";").filter { directive in
                let name = directive.utf8.split { $0.isASCIIWhitespace }.first ?? ""[...].utf8
                return !name.isEmpty
                    && !["frame-ancestors", "report-uri", "sandbox"].contains {
                        name.equalsIgnoringCase($0)
                    }
            }
            let text = directives.joined(separator: ";").trimmingPrefix { $0.isWhitespace }
            return text.isEmpty ? nil : String(text)
        }
    }

    /// Returns a Boolean value that indicates whether a policy contains `upgrade-insecure-requests`.
    static func upgradesInsecureRequests(_ bytes: [UInt8]) -> Bool {
        directives(of: bytes).contains { bytes[$0[0]].equalsIgnoringCase("upgrade-insecure-requests") }
    }

    private init(bytes: [UInt8], context: RewritingContext, authority: String) {
        self.bytes = bytes
        self.context = context
        self.authority = authority
    }

    /// Returns the ranges of the name and the values of each directive.
    private static func directives(of bytes: [UInt8]) -> [[Range<Int>]] {
        bytes.indices.split { ";,".utf8.contains(bytes[$0]) }.compactMap { part in
            let words = part.split { bytes[$0].isASCIIWhitespace }.map { $0.startIndex..<$0.endIndex }
            return words.isEmpty ? nil : words
        }
    }

    private mutating func collect(_ words: [Range<Int>]) {
        let name = String(decoding: bytes[words[0]].map(\.asciiLowercased), as: UTF8.self)
        let isHeld = context.selection == .held
        if name == "report-uri", !isHeld {
            for word in words.dropFirst() {
                let target = String(decoding: bytes[word], as: UTF8.self)
                guard HTTPRequest(urlText: target) == nil, let url = RealURL.resolve(target, against: context.url)
                else { continue }
                edits.append(ByteEdit(word, url.utf8))
            }
        }
        guard Self.withSources.contains(name), !isHeld || !Self.native.contains(name) else { return }
        var known = Set(words.map { String(decoding: bytes[$0].map(\.asciiLowercased), as: UTF8.self) })
        for word in words.dropFirst() {
            let source = String(decoding: bytes[word], as: UTF8.self)
            let added = (isHeld ? heldForms(of: source) : forms(of: source, in: name)).filter {
                known.insert($0.asciiLowercased).inserted
            }
            if !added.isEmpty {
                edits.append(ByteEdit(word.upperBound..<word.upperBound, (" " + added.joined(separator: " ")).utf8))
            }
        }
    }

    /// Returns the equivalent sources of a source.
    private func forms(of source: String, in directive: String) -> [String] {
        let names = context.names
        let lower = source.asciiLowercased
        if lower == "'self'" {
            let sockets = directive == "connect-src" || directive == "default-src"
            if context.scheme == "https" {
                return ["https://\(authority)"] + (sockets ? ["wss://\(authority)"] : [])
            }
            // `'self'` of an http page also matches its host on https (section 6.7.2.8).
            return ["http://\(authority)", "\(names.secure)://\(authority)"] + (sockets ? ["ws://\(authority)"] : [])
        }
        if let named = namedForms(of: source, lower) { return named }
        guard isHost(lower) else { return [] }
        if context.scheme == "https" {
            let named = withoutOwnPort(source[...], "443")
            return ["https://\(source)"] + (named == source ? [] : ["\(names.secure)://\(named)"])
        }
        let named = withoutOwnPort(source[...], "80")
        return ["http://\(source)", "\(names.secure)://\(named)"]
            + (named == source ? [] : ["\(names.insecure)://\(named)"])
    }

    /// Returns the custom-scheme sources of a source in document mode.
    private func heldForms(of source: String) -> [String] {
        let names = context.names
        let lower = source.asciiLowercased
        // An http page also permits the same host on https (sections 6.7.2.8 and 6.7.2.9).
        let isSecure = WebOrigin(url: context.url)?.scheme == "https"
        let schemes = isSecure ? [names.secure] : [names.insecure, names.secure]
        if lower == "'self'" { return schemes.map { "\($0)://\(authority)" } }
        if let named = namedForms(of: source, lower) { return named }
        guard isHost(lower) else { return [] }
        return schemes.map { "\($0)://\(withoutOwnPort(source[...], isSecure ? "443" : "80"))" }
    }

    /// Returns the custom-scheme sources of a keyword, or of a source with a scheme; `nil` for another source.
    private func namedForms(of source: String, _ lower: String) -> [String]? {
        let names = context.names
        if lower.hasPrefix("'") { return [] }
        switch lower {
        case "*": return ["\(names.secure):", "\(names.insecure):"]
        case "https:": return ["\(names.secure):"]
        // `http` also matches `https` (section 6.7.2.9).
        case "http:": return ["\(names.insecure):", "\(names.secure):"]
        default: break
        }
        if lower.hasPrefix("https://") { return [names.secure + "://" + withoutOwnPort(source.dropFirst(8), "443")] }
        if lower.hasPrefix("http://") {
            let rest = source.dropFirst(7)
            return [names.insecure, names.secure].map { $0 + "://" + withoutOwnPort(rest, "80") }
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether a source is `host-part [ port-part ] [ path-part ]` without a
    /// scheme.
    private func isHost(_ source: String) -> Bool {
        let host = source.utf8.prefix { $0 != UInt8(ascii: "/") }
        guard let first = host.first, first != UInt8(ascii: ":") else { return false }
        guard host.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-._*:".utf8.contains($0) }) else {
            return false
        }
        guard let colon = host.firstIndex(of: UInt8(ascii: ":")) else { return true }
        let port = host[host.index(after: colon)...]
        return !port.isEmpty && (port.allSatisfy(\.isASCIIDigit) || port.elementsEqual("*".utf8))
    }

    /// Removes the default port of the real scheme, because custom-scheme URLs have no default port.
    private func withoutOwnPort(_ rest: Substring, _ port: String) -> String {
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        guard rest[..<end].hasSuffix(":\(port)") else { return String(rest) }
        return String(rest[..<end].dropLast(port.count + 1)) + rest[end...]
    }

    /// The directives whose URLs document mode leaves to the engine.
    private static let native: Set = [
        "base-uri", "fenced-frame-src", "form-action", "frame-ancestors", "frame-src", "navigate-to",
    ]
    private static let withSources: Set = [
        "base-uri", "child-src", "connect-src", "default-src", "fenced-frame-src", "font-src", "form-action",
        "frame-ancestors", "frame-src", "img-src", "manifest-src", "media-src", "navigate-to", "object-src",
        "prefetch-src", "script-src", "script-src-attr", "script-src-elem", "style-src", "style-src-attr",
        "style-src-elem", "worker-src",
    ]
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// A URL in a page or a style sheet, parsed as the WHATWG URL standard requires with an http or https base URL.
/// Surrounding blanks and line breaks are ignored, a backslash is a slash, scheme and host are case-insensitive, and
/// `https:x` is `x` in an https page.
///
/// An engine resolves URLs against a custom-scheme URL by the rules for non-special schemes. References that would
/// have a different result are edited. Only ASCII hosts are rewritten. Other spellings (IDN, escapes, user
/// information, short addresses) stay unchanged and bypass the container.
struct URLReference {
    /// The use of a URL.
    enum Use: Hashable {
        /// A resource of the page.
        case load
        /// A resource of CSS: an image, a font or a style sheet, or an element of an SVG document.
        case style
        /// A navigation.
        case navigation
    }

    /// The target of a reference.
    enum Target: Equatable {
        /// The document itself: an empty reference or a fragment.
        case document
        /// A resource with an absolute real URL, as the engine requests it, without a fragment.
        case resource(String)
        /// A URL with another scheme.
        case other
        /// A URL in a spelling that is not resolved here.
        case unknown
    }

    /// The maximum length of a base URL in bytes, against which references to held resources are resolved.
    private static let maxBaseBytes = 2_048

    /// The reference without trailing blanks. Bytes beyond ASCII are 0x80.
    private let bytes: [UInt8]
    /// The scheme `http` or `https`; `nil` if the reference has no scheme.
    private let scheme: String?
    /// The index after the scheme, or of the first character if there is none.
    private let start: Int
    private let context: RewritingContext
    /// A Boolean value that indicates whether ``scheme`` is spelled as a custom scheme or an alias.
    private var isNamed = false

    /// Returns the edits that convert a reference into a custom-scheme URL, or preserve its meaning under a
    /// custom-scheme base URL; empty if the reference is unchanged.
    /// - Parameters:
    ///   - bytes: The reference.
    ///   - use: The use of the URL.
    ///   - context: The context of the text.
    ///   - isURL: A Boolean value that indicates whether the text is always a URL; `true` by default. Strings of
    ///     import maps and speculation rules may be something else.
    static func edits(
        of bytes: some RandomAccessCollection<UInt8>, as use: Use, in context: RewritingContext, isURL: Bool = true
    ) -> [ByteEdit] {
        guard context.selection == .covered else {
            return heldEdits(of: Array(bytes), as: use, in: context, isURL: isURL)
        }
        // Most references are relative, which their first characters show.
        guard let first = bytes.firstIndex(where: { $0 > 0x20 }),
            mayName(bytes[first...].prefix(2)) || context.requestedURL != nil || !context.names.aliases.isEmpty
                || isURL && bytes.contains(UInt8(ascii: "\\"))
        else { return [] }
        guard let reference = URLReference(Array(bytes), in: context) else { return [] }
        if let hostStart = reference.hostStart { return reference.edits(fromHostAt: hostStart, as: use) }
        return reference.edits(ofRelative: reference.start, isURL: isURL)
    }

    private static func mayName(_ start: some Collection<UInt8>) -> Bool {
        guard let first = start.first, let second = start.dropFirst().first else { return false }
        let isBreak = isBreak(second)
        if first | 0x20 == UInt8(ascii: "h") { return second | 0x20 == UInt8(ascii: "t") || isBreak }
        return isSlash(first) && (isSlash(second) || isBreak)
    }

    /// Parses a reference; returns `nil` for another scheme and for an empty text.
    private init?(_ written: [UInt8], in context: RewritingContext) {
        var bytes = written[..<((written.lastIndex { $0 > 0x20 } ?? -1) + 1)]
        if context.hasTwoByteLetters {
            // The second byte of a two-byte character is not significant, even in the ASCII range.
            var index = bytes.startIndex
            while index + 1 < bytes.endIndex {
                let step = CSSEscapes.letter(bytes[index], bytes[index + 1])
                if step == 2 { bytes[index + 1] = 0x80 }
                index += step
            }
        }
        guard let first = bytes.firstIndex(where: { $0 > 0x20 }) else { return nil }
        self.bytes = Array(bytes)
        self.context = context
        switch Self.scheme(of: bytes[first...]) {
        case .none:
            scheme = nil
            start = first
        case ("http", let end)?:
            scheme = "http"
            start = end
        case ("https", let end)?:
            scheme = "https"
            start = end
        case let (name, end)? where context.names.aliases.contains(name) && bytes[end...].starts(with: "//".utf8):
            scheme = "https"
            start = end
            isNamed = true
        case let (name, end)? where context.selection == .held && bytes[end...].starts(with: "//".utf8):
            // A custom-scheme URL in a style sheet.
            guard context.requestedURL != nil, let real = context.names.realScheme(for: name) else { return nil }
            scheme = real
            start = end
            isNamed = true
        case .some: return nil
        }
    }

    /// The index of the host; `nil` if the reference has no host.
    private var hostStart: Int? {
        var rest = start
        var slashes = 0
        while let byte = peek(&rest), Self.isSlash(byte) {
            slashes += 1
            rest += 1
        }
        return scheme.map { $0 != context.scheme } ?? false || slashes >= 2 ? rest : nil
    }

    /// Returns the authority in lower case, and moves `index` to its end.
    private func authority(from index: inout Int) -> [UInt8] {
        var authority: [UInt8] = []
        while let byte = peek(&index), !"/\\?#".utf8.contains(byte) {
            authority.append(byte.asciiLowercased)
            index += 1
        }
        return authority
    }

    // MARK: References with a host

    private func edits(fromHostAt hostStart: Int, as use: Use) -> [ByteEdit] {
        let pastContainer: [ByteEdit] =
            if scheme == nil, context.namedScheme != nil {
                // The reference would resolve to a custom-scheme URL that has no response.
                [ByteEdit(start..<start, "\(context.scheme):".utf8)]
            } else {
                []
            }
        var rest = hostStart
        guard let (real, authority) = origin(from: &rest, as: use) else { return pastContainer }
        let path = plain(rest)
        let lacksSlash = path.first != UInt8(ascii: "/")
        let url = "\(real)://\(authority)\(lacksSlash ? "/" : "")" + String(decoding: path, as: UTF8.self)
        let beginning: String
        if context.covers(url, use == .navigation ? url : context.page) {
            // A reference without a scheme resolves to the custom-scheme URL without an edit.
            guard let name = context.names.name(for: real) else { return [] }
            beginning = scheme == nil && real == context.namedScheme ? "//" : name + "://"
        } else if scheme == nil, context.namedScheme != nil {
            beginning = "\(context.scheme)://"
        } else if isNamed {
            beginning = "\(real)://"
        } else {
            return []
        }
        // URLs of custom schemes have no default port and a case-sensitive host. Engines change neither their
        // backslashes nor an empty path.
        let replacement = Array("\(beginning)\(authority)".utf8)
        let isSpelled = bytes[..<rest].elementsEqual(replacement) && beginning == "//"
        if isSpelled, !lacksSlash { return slashes(from: rest) }
        return [ByteEdit(0..<rest, replacement + (lacksSlash ? [UInt8(ascii: "/")] : []))] + slashes(from: rest)
    }

    /// Returns the scheme and the authority after a possible upgrade, and moves `index` to the end of the authority;
    /// `nil` if the host is not plain.
    private func origin(from index: inout Int, as use: Use) -> (scheme: String, authority: String)? {
        let real = scheme ?? context.scheme
        guard var authority = HostSpelling.plain(authority(from: &index), scheme: real) else { return nil }
        guard real == "http", upgrades(use, authority) else { return (real, authority) }
        if authority.hasSuffix(":443") { authority.removeLast(4) }
        return ("https", authority)
    }

    /// Returns a Boolean value that indicates whether an http URL is upgraded (Upgrade Insecure Requests, section
    /// 3.2): resources, and links to the page's host.
    private func upgrades(_ use: Use, _ authority: String) -> Bool {
        guard context.upgradesInsecureRequests else { return false }
        return use != .navigation || WebOrigin.host(of: context.page) == WebOrigin.host(of: "http://\(authority)")
    }

    // MARK: References without a host

    /// Returns the edits of a reference without a host.
    /// - Parameters:
    ///   - rest: The index after a redundant scheme.
    ///   - isURL: A Boolean value that indicates whether the text is always a URL.
    private func edits(ofRelative rest: Int, isURL: Bool) -> [ByteEdit] {
        var index = rest
        let first = peek(&index)
        if let requestedURL = context.requestedURL, let first, first != UInt8(ascii: "#"),
            let base = movedBase(first, from: requestedURL)
        {
            let name = context.covers(base + String(decoding: plain(rest), as: UTF8.self), context.page)
            let beginning = name ? context.names.name(of: base) ?? base : base
            return [ByteEdit(0..<rest, beginning.utf8)] + slashes(from: rest)
        }
        guard scheme != nil else { return isURL ? slashes(from: rest) : [] }
        // The reference consists of a scheme and refers to the document itself. An empty reference could not express
        // this.
        guard first != nil else { return [] }
        // A colon would turn the beginning of the rest into a scheme, and a leading blank would be ignored.
        let isPlain = Self.scheme(of: bytes[rest...]) == nil && bytes[rest] > 0x20 && bytes[index] > 0x20
        return [ByteEdit(0..<rest, isPlain ? [] : Array("./".utf8))] + slashes(from: rest)
    }

    /// Returns the prefix for a relative reference of a redirected style sheet; `nil` if the reference resolves
    /// equally against the requested URL.
    /// - Parameters:
    ///   - first: The first character of the reference.
    ///   - requestedURL: The requested URL.
    private func movedBase(_ first: UInt8, from requestedURL: String) -> String? {
        guard let base = Self.base(first, at: context.url), let known = Self.base(first, at: requestedURL) else {
            return nil
        }
        return base == known ? nil : base
    }

    /// Returns the part of an absolute URL that a relative reference keeps: the origin, the path, or its folder.
    private static func base(_ first: UInt8, at url: String) -> String? {
        guard let place = HTTPRequest(urlText: url), let origin = place.webOrigin else { return nil }
        if isSlash(first) { return "\(origin)" }
        let path = (place.path ?? "/").prefix { $0 != "?" }
        if first == UInt8(ascii: "?") { return "\(origin)\(path)" }
        return "\(origin)\(path[...(path.lastIndex(of: "/") ?? path.startIndex)])"
    }

    // MARK: Held resources

    /// Returns the target of a reference.
    static func target(of bytes: some Collection<UInt8>, in context: RewritingContext) -> Target {
        guard let reference = URLReference(Array(bytes), in: context) else {
            return bytes.contains { $0 > 0x20 } ? .other : .document
        }
        return reference.target
    }

    private var target: Target {
        let base = context.base ?? context.url
        guard base.utf8.count <= Self.maxBaseBytes else { return .unknown }
        var text: [UInt8]
        if var rest = hostStart {
            guard let (scheme, authority) = origin(from: &rest, as: .load) else { return .unknown }
            text = Array("\(scheme)://\(authority)".utf8) + plain(rest)
        } else {
            var index = start
            guard let first = peek(&index), first != UInt8(ascii: "#") else { return .document }
            // A colon or a blank after a redundant scheme belongs to the path.
            let isPath = scheme != nil && !Self.isSlash(first) && first != UInt8(ascii: "?")
            text = (isPath ? Array("./".utf8) : []) + plain(start)
        }
        if let end = text.firstIndex(of: UInt8(ascii: "#")) { text.removeSubrange(end...) }
        let string = String(decoding: text, as: UTF8.self)
        guard context.isUTF8 ? string.utf8.elementsEqual(text) : text.allSatisfy({ $0 < 0x80 }),
            let url = RealURL.resolve(string, against: hostStart == nil || scheme == nil ? base : string)
        else { return .unknown }
        return .resource(url)
    }

    /// Returns the edits of document mode. The URL of a held resource becomes a custom-scheme URL. In a style sheet
    /// with a custom-scheme URL, other references that would resolve to a custom-scheme URL become real URLs.
    private static func heldEdits(
        of bytes: [UInt8], as use: Use, in context: RewritingContext, isURL: Bool
    ) -> [ByteEdit] {
        guard use != .navigation, let reference = URLReference(bytes, in: context) else { return [] }
        // Addresses of import maps (HTML, section "Parsing a URL-like module specifier").
        guard isURL || reference.scheme != nil || ["/", "./", "../"].contains(where: { bytes.starts(with: $0.utf8) })
        else { return [] }
        return reference.heldEdits(as: use, isURL: isURL)
    }

    private func heldEdits(as use: Use, isURL: Bool) -> [ByteEdit] {
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        // In CSS, a fragment may be an SVG element, which engines load from the document's origin only. An address of
        // an import map with a slash at its end is a prefix of other URLs.
        guard case .resource(let url) = target, use != .style || bytes.count - end < 2,
            isURL || !url.hasSuffix("/") || context.isModuleOfFolder(url), context.holds(url),
            let name = context.names.name(of: url)
        else { return realEdits }
        return resolvesToName ? [] : [ByteEdit(0..<end, name.utf8)]
    }

    /// A Boolean value that indicates whether a reference in a style sheet resolves to the custom-scheme URL of its
    /// target.
    private var resolvesToName: Bool {
        var index = start
        guard let requestedURL = context.requestedURL, scheme == nil, hostStart == nil, let first = peek(&index) else {
            return false
        }
        return !bytes.contains(UInt8(ascii: "\\")) && movedBase(first, from: requestedURL) == nil
    }

    /// The edits that convert a reference into a real URL if it would resolve to a custom-scheme URL.
    private var realEdits: [ByteEdit] {
        guard context.requestedURL != nil else { return [] }
        if hostStart != nil {
            guard scheme == nil || isNamed else { return [] }
            return [ByteEdit((isNamed ? 0 : start)..<start, "\(scheme ?? context.scheme):".utf8)]
        }
        var index = start
        guard let first = peek(&index), first != UInt8(ascii: "#"), let base = Self.base(first, at: context.url) else {
            return []
        }
        return [ByteEdit(0..<start, base.utf8)]
    }

    // MARK: Characters

    /// Returns the path, query and fragment as a browser parses them.
    private func plain(_ start: Int) -> [UInt8] {
        var result: [UInt8] = []
        var isPath = true
        for byte in bytes[start...] where !Self.isBreak(byte) {
            if "?#".utf8.contains(byte) { isPath = false }
            result.append(isPath && byte == UInt8(ascii: "\\") ? UInt8(ascii: "/") : byte)
        }
        return result
    }

    /// Returns edits that replace the backslashes of a path with slashes.
    private func slashes(from start: Int) -> [ByteEdit] {
        let end = bytes[start...].firstIndex { "?#".utf8.contains($0) } ?? bytes.endIndex
        return bytes[start..<end].indices.filter { bytes[$0] == UInt8(ascii: "\\") }
            .map { ByteEdit($0..<$0 + 1, [UInt8(ascii: "/")]) }
    }

    /// Skips tabs and line breaks, which URL parsers remove, and returns the character at the new `index`.
    private func peek(_ index: inout Int) -> UInt8? {
        while index < bytes.count, Self.isBreak(bytes[index]) { index += 1 }
        return index < bytes.count ? bytes[index] : nil
    }

    /// Returns the scheme in lower case and the index after its colon; `nil` if there is none.
    private static func scheme(of bytes: ArraySlice<UInt8>) -> (name: String, end: Int)? {
        var name: [UInt8] = []
        for index in bytes.indices where !isBreak(bytes[index]) {
            let byte = bytes[index]
            if byte == UInt8(ascii: ":") {
                return name.isEmpty ? nil : (String(decoding: name, as: UTF8.self), index + 1)
            }
            guard byte.isASCIILetter || !name.isEmpty && (byte.isASCIIDigit || "+-.".utf8.contains(byte)) else {
                return nil
            }
            name.append(byte.asciiLowercased)
        }
        return nil
    }

    private static func isSlash(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
    }

    private static func isBreak(_ byte: UInt8) -> Bool {
        byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}

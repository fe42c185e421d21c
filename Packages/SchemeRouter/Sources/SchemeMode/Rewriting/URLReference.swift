// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// A URL as it is written in a page or a style sheet, read as the URL standard reads it where it starts from a URL of http
/// or https: blanks around it and line ends inside of it do not count, a backslash is a slash, letters of scheme and host
/// have no case, and `https:x` is `x` in a page of https.
///
/// An engine reads what starts from a name by the rules of other schemes. What would come out differently is changed so
/// that it does not. The host may be ASCII alone: other spellings (IDN, escapes, a user before it, addresses in short)
/// stay as they are and lead past the container.
struct URLReference {
    /// Whether the resource is loaded for the page, or the page moves to it.
    enum Use: Hashable {
        case load
        case navigation
    }

    /// Without blanks at the end; what is no ASCII is 0x80.
    private let bytes: [UInt8]
    /// `http` or `https`; `nil` where the reference takes the scheme of what it stands in.
    private let scheme: String?
    /// Where the first slash is, or what is in place of one.
    private let start: Int
    private let context: RewritingContext

    /// The changes that give a reference its name, or the meaning under a name that it has in a browser; none where it
    /// stays.
    /// - Parameter isURL: whether it is read as a URL and nothing else; the strings of import maps and rules that match
    ///   URLs are not. True by default.
    static func edits(
        of bytes: some RandomAccessCollection<UInt8>, as use: Use, in context: RewritingContext, isURL: Bool = true
    ) -> [ByteEdit] {
        // Most references are relative: they are known by their first letters.
        guard let first = bytes.firstIndex(where: { $0 > 0x20 }),
            mayName(bytes[first...].prefix(2)) || context.asked != nil
                || isURL && bytes.contains(UInt8(ascii: "\\"))
        else { return [] }
        guard let reference = URLReference(Array(bytes), in: context) else { return [] }
        var rest = reference.start
        var slashes = 0
        while let byte = reference.peek(&rest), isSlash(byte) {
            slashes += 1
            rest += 1
        }
        if reference.scheme.map({ $0 != context.scheme }) ?? false || slashes >= 2 {
            return reference.edits(fromHostAt: rest, as: use)
        }
        return reference.edits(ofRelative: reference.start, isURL: isURL)
    }

    private static func mayName(_ start: some Collection<UInt8>) -> Bool {
        guard let first = start.first, let second = start.dropFirst().first else { return false }
        let isBreak = isBreak(second)
        if first | 0x20 == UInt8(ascii: "h") { return second | 0x20 == UInt8(ascii: "t") || isBreak }
        return isSlash(first) && (isSlash(second) || isBreak)
    }

    /// `nil` for a URL of another scheme, and for nothing.
    private init?(_ written: [UInt8], in context: RewritingContext) {
        var bytes = written[..<((written.lastIndex { $0 > 0x20 } ?? -1) + 1)]
        if context.hasTwoByteLetters {
            // The second byte of a letter means nothing, whatever it is in ASCII.
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
        case .some: return nil
        }
    }

    // MARK: References with a host

    private func edits(fromHostAt hostStart: Int, as use: Use) -> [ByteEdit] {
        let pastContainer: [ByteEdit] =
            if scheme == nil, context.namedScheme != nil {
                // It would resolve to a name that nobody answers.
                [ByteEdit(start..<start, "\(context.scheme):".utf8)]
            } else {
                []
            }
        var rest = hostStart
        var authority: [UInt8] = []
        while let byte = peek(&rest), !"/\\?#".utf8.contains(byte) {
            authority.append(byte.asciiLowercased)
            rest += 1
        }
        var real = scheme ?? context.scheme
        guard var authority = HostSpelling.plain(authority, scheme: real) else { return pastContainer }
        if real == "http", upgrades(use, authority) {
            real = "https"
            if authority.hasSuffix(":443") { authority.removeLast(4) }
        }
        let path = plain(rest)
        let lacksSlash = path.first != UInt8(ascii: "/")
        let url = "\(real)://\(authority)\(lacksSlash ? "/" : "")" + String(decoding: path, as: UTF8.self)
        let beginning: String
        if context.covers(url, use == .navigation ? url : context.page) {
            // Without a scheme it resolves to the name by itself.
            guard let name = context.names.name(for: real) else { return [] }
            beginning = scheme == nil && real == context.namedScheme ? "//" : name + "://"
        } else if scheme == nil, context.namedScheme != nil {
            beginning = "\(context.scheme)://"
        } else {
            return []
        }
        // A custom scheme knows no own port, no case and no backslash, and an empty path stays empty.
        let replacement = Array("\(beginning)\(authority)".utf8)
        let isSpelled = bytes[..<rest].elementsEqual(replacement) && beginning == "//"
        if isSpelled, !lacksSlash { return slashes(from: rest) }
        return [ByteEdit(0..<rest, replacement + (lacksSlash ? [UInt8(ascii: "/")] : []))] + slashes(from: rest)
    }

    /// Upgrade Insecure Requests, section 3.2: what is loaded, and links within the page's host.
    private func upgrades(_ use: Use, _ authority: String) -> Bool {
        guard context.upgradesInsecureRequests else { return false }
        return use == .load || WebOrigin.host(of: context.page) == WebOrigin.host(of: "http://\(authority)")
    }

    // MARK: References without a host

    /// - Parameter rest: where it begins, after a scheme that says nothing.
    private func edits(ofRelative rest: Int, isURL: Bool) -> [ByteEdit] {
        var index = rest
        let first = peek(&index)
        if let asked = context.asked, let first, first != UInt8(ascii: "#"),
            let base = movedBase(first, from: asked)
        {
            let name = context.covers(base + String(decoding: plain(rest), as: UTF8.self), context.page)
            let beginning = name ? context.names.name(of: base) ?? base : base
            return [ByteEdit(0..<rest, beginning.utf8)] + slashes(from: rest)
        }
        guard scheme != nil else { return isURL ? slashes(from: rest) : [] }
        // Nothing is left to say that the document itself is meant.
        guard first != nil else { return [] }
        // A colon would make a scheme of what is left, and a blank would not count.
        let isPlain = Self.scheme(of: bytes[rest...]) == nil && bytes[rest] > 0x20 && bytes[index] > 0x20
        return [ByteEdit(0..<rest, isPlain ? [] : Array("./".utf8))] + slashes(from: rest)
    }

    /// What goes before a relative reference of a style sheet that has moved; `nil` where it leads to the same place from
    /// where the engine looks for it.
    /// - Parameter first: its first letter.
    private func movedBase(_ first: UInt8, from asked: String) -> String? {
        guard let place = HTTPRequest(urlText: context.url), let origin = place.webOrigin,
            let known = HTTPRequest(urlText: asked)
        else { return nil }
        let isSameOrigin = known.webOrigin == origin
        if Self.isSlash(first) { return isSameOrigin ? nil : "\(origin)" }
        let path = (place.path ?? "/").prefix { $0 != "?" }
        let knownPath = (known.path ?? "/").prefix { $0 != "?" }
        if first == UInt8(ascii: "?") { return isSameOrigin && path == knownPath ? nil : "\(origin)\(path)" }
        let folder = { (path: Substring) in path[...(path.lastIndex(of: "/") ?? path.startIndex)] }
        return isSameOrigin && folder(path) == folder(knownPath) ? nil : "\(origin)\(folder(path))"
    }

    // MARK: Characters

    /// Path, query and fragment as a browser reads them.
    private func plain(_ start: Int) -> [UInt8] {
        var result: [UInt8] = []
        var isPath = true
        for byte in bytes[start...] where !Self.isBreak(byte) {
            if "?#".utf8.contains(byte) { isPath = false }
            result.append(isPath && byte == UInt8(ascii: "\\") ? UInt8(ascii: "/") : byte)
        }
        return result
    }

    /// Turns the backslashes of a path round.
    private func slashes(from start: Int) -> [ByteEdit] {
        let end = bytes[start...].firstIndex { "?#".utf8.contains($0) } ?? bytes.endIndex
        return bytes[start..<end].indices.filter { bytes[$0] == UInt8(ascii: "\\") }
            .map { ByteEdit($0..<$0 + 1, [UInt8(ascii: "/")]) }
    }

    /// The letter at `index`, after tabs and line ends, which a URL does not have.
    private func peek(_ index: inout Int) -> UInt8? {
        while index < bytes.count, Self.isBreak(bytes[index]) { index += 1 }
        return index < bytes.count ? bytes[index] : nil
    }

    /// The scheme of a URL in lower case, and where what follows its colon begins; `nil` where there is none.
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

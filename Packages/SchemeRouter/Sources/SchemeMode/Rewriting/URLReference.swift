// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

/// A URL as it is written in a page or a style sheet, read as the URL standard reads it: spaces around it and line
/// ends inside of it do not count, a backslash is a slash, letters of scheme and host have no case.
///
/// Only references that name a host are looked at. The host may be ASCII alone: other spellings (IDN, escapes, a user
/// before it) stay as they are and lead past the container.
struct URLReference {
    /// Whether the resource is loaded for the page, or the page moves to it.
    enum Use: Hashable {
        case load
        case navigation
    }

    /// `http` or `https`; `nil` where the reference takes the scheme of what it stands in.
    private let scheme: String?
    /// In lower case, without the scheme's own port.
    private let authority: String
    /// Where the path begins, after scheme and authority.
    private let rest: Int
    private let bytes: ArraySlice<UInt8>

    /// The changes that give a reference its name; none where it stays.
    static func edits(
        of bytes: some RandomAccessCollection<UInt8>, as use: Use, in context: RewritingContext
    ) -> [ByteEdit] {
        // Most references are relative: they are known by their first letters.
        guard let start = bytes.firstIndex(where: { $0 > 0x20 }), mayName(bytes[start...].prefix(2)) else { return [] }
        let bytes = Array(bytes)
        if let edit = sameScheme(bytes, in: context) { return [edit] }
        guard let reference = URLReference(bytes, in: context) else { return [] }
        return reference.edits(as: use, in: context)
    }

    private static func mayName(_ start: some Collection<UInt8>) -> Bool {
        guard let first = start.first, let second = start.dropFirst().first else { return false }
        let isBreak = second == 0x09 || second == 0x0A || second == 0x0D
        if first | 0x20 == UInt8(ascii: "h") { return second | 0x20 == UInt8(ascii: "t") || isBreak }
        return isSlash(first) && (isSlash(second) || isBreak)
    }

    private static func isSlash(_ byte: UInt8?) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
    }

    private init?(_ bytes: [UInt8], in context: RewritingContext) {
        let end = (bytes.lastIndex { $0 > 0x20 } ?? -1) + 1
        var index = bytes.firstIndex { $0 > 0x20 } ?? end
        let scheme = Self.takeScheme(bytes, &index)
        var slashes = 0
        while let byte = Self.peek(bytes, &index, end), Self.isSlash(byte) {
            slashes += 1
            index += 1
        }
        guard scheme != nil || slashes >= 2 else { return nil }
        var authority: [UInt8] = []
        while let byte = Self.peek(bytes, &index, end), !"/\\?#".utf8.contains(byte) {
            guard byte.isASCIILetter || byte.isASCIIDigit || "-._:[]".utf8.contains(byte) else { return nil }
            authority.append(byte.asciiLowercased)
            index += 1
        }
        let own = (scheme ?? context.scheme) == "http" ? ":80" : ":443"
        if authority.suffix(own.utf8.count).elementsEqual(own.utf8) { authority.removeLast(own.utf8.count) }
        guard let first = authority.first, first != UInt8(ascii: ":") else { return nil }
        self.scheme = scheme
        self.authority = String(decoding: authority, as: UTF8.self)
        rest = index
        self.bytes = bytes[..<end]
    }

    private func edits(as use: Use, in context: RewritingContext) -> [ByteEdit] {
        var real = scheme ?? context.scheme
        if real == "http", upgrades(use, in: context) { real = "https" }
        var path = bytes[rest...].filter { ![0x09, 0x0A, 0x0D].contains($0) }
        let slashes = path.firstIndex { "?#".utf8.contains($0) } ?? path.endIndex
        for index in path[..<slashes].indices where path[index] == UInt8(ascii: "\\") {
            path[index] = UInt8(ascii: "/")
        }
        let lacksSlash = path.first != UInt8(ascii: "/")
        let url = "\(real)://\(authority)\(lacksSlash ? "/" : "")" + String(decoding: path, as: UTF8.self)
        let start: String
        if context.covers(url, use == .navigation ? url : context.page) {
            // Without a scheme it resolves to the name by itself.
            start =
                scheme == nil && real == context.scheme ? "//" : context.names.name(for: real).map { $0 + "://" } ?? ""
            guard !start.isEmpty else { return [] }
        } else if scheme == nil {
            // It would resolve to a name that nobody answers.
            start = "\(context.scheme)://"
        } else {
            return []
        }
        // A custom scheme knows no own port, no case and no backslash, and an empty path stays empty.
        let replacement = Array("\(start)\(authority)".utf8)
        guard !(bytes[..<rest].elementsEqual(replacement) && start == "//") else { return [] }
        var edits = [ByteEdit(0..<rest, replacement + (lacksSlash ? [UInt8(ascii: "/")] : []))]
        let query = bytes[rest...].firstIndex { "?#".utf8.contains($0) } ?? bytes.endIndex
        for index in rest..<query where bytes[index] == UInt8(ascii: "\\") {
            edits.append(ByteEdit(index..<index + 1, [UInt8(ascii: "/")]))
        }
        return edits
    }

    /// Upgrade Insecure Requests, section 3.2: what is loaded, and links within the page's host.
    private func upgrades(_ use: Use, in context: RewritingContext) -> Bool {
        guard context.upgradesInsecureRequests else { return false }
        return use == .load || WebOrigin.host(of: context.page) == WebOrigin.host(of: "http://\(authority)")
    }

    /// `https:a.png` in a page of https is `a.png`; under its name the page would lose that.
    private static func sameScheme(_ bytes: [UInt8], in context: RewritingContext) -> ByteEdit? {
        var index = bytes.firstIndex { $0 > 0x20 } ?? bytes.count
        guard let scheme = takeScheme(bytes, &index), scheme == context.scheme else { return nil }
        let start = index
        guard isSlash(peek(bytes, &index, bytes.count)) else {
            // A colon in what is left would make it a scheme.
            return bytes[start...].contains(UInt8(ascii: ":")) ? nil : ByteEdit(0..<start, [])
        }
        index += 1
        return isSlash(peek(bytes, &index, bytes.count)) ? nil : ByteEdit(0..<index, [UInt8(ascii: "/")])
    }

    /// Reads `http:` or `https:`, or nothing.
    private static func takeScheme(_ bytes: [UInt8], _ index: inout Int) -> String? {
        var position = index
        var name: [UInt8] = []
        while name.count < 6, let byte = peek(bytes, &position, bytes.count), byte.isASCIILetter {
            name.append(byte.asciiLowercased)
            position += 1
        }
        guard peek(bytes, &position, bytes.count) == UInt8(ascii: ":") else { return nil }
        let scheme = String(decoding: name, as: UTF8.self)
        guard scheme == "http" || scheme == "https" else { return nil }
        index = position + 1
        return scheme
    }

    /// The letter at `index`, after tabs and line ends, which a URL does not have.
    private static func peek(_ bytes: [UInt8], _ index: inout Int, _ end: Int) -> UInt8? {
        while index < end, [0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
        return index < end ? bytes[index] : nil
    }
}

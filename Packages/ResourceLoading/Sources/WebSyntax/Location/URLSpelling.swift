// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// Conversions of URLs to spellings that Foundation's `URL` does not change.
///
/// Engines leave some characters unescaped that RFC 3986 requires to be escaped, such as `|` and, in a query, `[`.
/// `URL` escapes them, but it also escapes the existing escapes in the same component. For example, `a|%20` becomes
/// `a%7C%2520`, a different URL.
public enum URLSpelling {
    /// Returns the URL with an escape for each byte that RFC 3986 does not allow in the path, the query or the
    /// fragment. The authority and valid escapes stay unchanged.
    /// - Parameter url: an absolute URL, or a reference relative to another URL.
    public static func strict(_ url: some StringProtocol) -> String {
        let bytes = Array(url.utf8)
        let start = hierarchyStart(of: bytes)
        guard needsEncoding(bytes, from: start) else { return String(url) }
        var result = Array(bytes[..<start])
        var isFragment = false
        for index in start..<bytes.count {
            let byte = bytes[index]
            if ASCIISet.query.contains(byte) || (byte == UInt8(ascii: "#") && !isFragment)
                || PercentEncoding.escapedByte(in: bytes, at: index) != nil
            {
                isFragment = isFragment || byte == UInt8(ascii: "#")
                result.append(byte)
            } else {
                PercentEncoding.appendEscape(of: byte, to: &result)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the URL with the escapes of the URL parser in the path, the query and the fragment (URL Standard, basic
    /// URL parser), as engines send an `http` or `https` URL. Other characters stay unchanged, for example `[` and a
    /// `%` without digits.
    /// - Parameter url: an absolute URL, or a reference relative to another URL.
    public static func standard(_ url: some StringProtocol) -> String {
        let url = Substring(url)
        let start = hierarchyStart(of: url.utf8)
        return url[..<start] + Components(url[start...]).standard
    }

    /// Returns the absolute URL of a reference (RFC 3986, section 5.2), with the escapes of the URL parser and without
    /// dot segments (URL Standard, basic URL parser).
    /// - Returns: `nil` if a host is missing or invalid, or if the result is not an `http` or `https` URL.
    public static func resolve(_ reference: some StringProtocol, against base: some StringProtocol) -> String? {
        guard let base = Reference(base), let root = base.root else { return nil }
        guard let reference = Reference(reference), reference.scheme == nil || reference.authority != nil else {
            return nil
        }
        var result = reference.components
        guard reference.authority == nil else {
            let reference = Reference(scheme: reference.scheme ?? base.scheme, authority: reference.authority)
            result.path = withoutDots(result.path.isEmpty ? "/" : result.path)
            return reference.root.map { $0 + result.standard }
        }
        let basePath = base.components.path.isEmpty ? "/" : base.components.path
        if result.path.isEmpty {
            result.path = basePath
            result.query = result.query ?? base.components.query
        } else if result.path.utf8.first != UInt8(ascii: "/") {
            let slash = basePath.utf8.lastIndex(of: UInt8(ascii: "/")) ?? basePath.startIndex
            result.path = basePath[..<slash] + "/" + result.path
        }
        result.path = withoutDots(result.path)
        return root + result.standard
    }

    /// Returns a path without single-dot and double-dot segments, including segments with escaped dots (WHATWG URL,
    /// path state).
    /// - Parameter path: a path that begins with a slash and ends before the query.
    public static func withoutDots(_ path: some StringProtocol) -> String {
        let bytes = Array(path.utf8)
        guard bytes.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) else { return String(path) }
        let segments = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        var output: [ArraySlice<UInt8>] = []
        for (index, segment) in zip(segments.indices, segments) {
            let dots = dotCount(of: segment)
            if dots == 2 { _ = output.popLast() }
            if dots == 0 {
                output.append(segment)
            } else if index == segments.endIndex - 1 {
                output.append([])
            }
        }
        let joined = [UInt8(ascii: "/")] + output.joined(separator: [UInt8(ascii: "/")])
        return String(decoding: joined, as: UTF8.self)
    }

    /// Returns a reference with the slashes and the scheme that the URL parser assumes in an `http` or `https`
    /// document (WHATWG URL, special authority slashes state).
    ///
    /// Backslashes before the query become slashes. A host gets exactly two slashes. A scheme that equals the
    /// document's is removed if no host follows. References with other schemes stay unchanged.
    public static func special(_ reference: String, in scheme: String?) -> String {
        let bytes = Array(reference.utf8)
        let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
        let colon = bytes[..<end].firstIndex(of: UInt8(ascii: ":"))
            .flatMap { URLScheme.isValid(bytes[..<$0]) ? $0 : nil }
        let named = colon.map { String(decoding: bytes[..<$0], as: UTF8.self).asciiLowercased }
        guard named == nil || named == "http" || named == "https" else { return reference }
        let start = bytes[(colon.map { $0 + 1 } ?? 0)..<end].map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
        let slashes = start.prefix { $0 == UInt8(ascii: "/") }.count
        guard slashes >= 2 || named != nil && named != scheme else {
            return String(decoding: start + bytes[end...], as: UTF8.self)
        }
        let rest = String(decoding: start.dropFirst(slashes) + bytes[end...], as: UTF8.self)
        return (named.map { $0 + ":" } ?? "") + "//" + rest
    }

    /// Returns 1 or 2 for a single-dot or double-dot segment, and 0 for other segments.
    private static func dotCount(of segment: ArraySlice<UInt8>) -> Int {
        var rest = segment
        var count = 0
        while let byte = rest.popFirst() {
            let next = Array(rest.prefix(2))
            if byte == UInt8(ascii: "%"), next == Array("2e".utf8) || next == Array("2E".utf8) {
                rest = rest.dropFirst(2)
            } else if byte != UInt8(ascii: ".") {
                return 0
            }
            count += 1
        }
        return count <= 2 ? count : 0
    }

    /// Returns the index after the authority, or the first index if the text has no authority.
    private static func hierarchyStart<Bytes: BidirectionalCollection<UInt8>>(of bytes: Bytes) -> Bytes.Index {
        let isSeparator = { (byte: UInt8) in "/?#".utf8.contains(byte) }
        let firstSeparator = bytes.firstIndex(where: isSeparator) ?? bytes.endIndex
        guard bytes[firstSeparator...].starts(with: "//".utf8),
            firstSeparator == bytes.startIndex || bytes[bytes.index(before: firstSeparator)] == UInt8(ascii: ":")
        else { return bytes.startIndex }
        return bytes[bytes.index(firstSeparator, offsetBy: 2)...].firstIndex(where: isSeparator) ?? bytes.endIndex
    }

    private static func needsEncoding(_ bytes: [UInt8], from start: Int) -> Bool {
        var isFragment = false
        for index in start..<bytes.count where !ASCIISet.query.contains(bytes[index]) {
            if bytes[index] == UInt8(ascii: "#"), !isFragment {
                isFragment = true
            } else if PercentEncoding.escapedByte(in: bytes, at: index) == nil {
                return true
            }
        }
        return false
    }
}

extension URLSpelling {
    /// The components of a URL after its authority.
    private struct Components {
        /// The path. Its backslashes are slashes (URL Standard, path state).
        var path: String
        /// The query with its question mark; `nil` if there is none.
        var query: Substring?
        /// The fragment with its number sign; empty if there is none.
        let fragment: Substring

        init(_ text: some StringProtocol) {
            let text = Substring(text)
            let mark = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
            let beforeFragment = text[..<mark]
            let query = beforeFragment.utf8.firstIndex(of: UInt8(ascii: "?"))
            let path = beforeFragment[..<(query ?? mark)].utf8
            let slashes = path.lazy.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
            self.path = String(decoding: slashes, as: UTF8.self)
            self.query = query.map { beforeFragment[$0...] }
            fragment = text[mark...]
        }

        /// The text with the escapes of the URL parser.
        var standard: String {
            PercentEncoding.encode(path, keeping: .unescapedInPath)
                + PercentEncoding.encode(query ?? "", keeping: .unescapedInQuery)
                + (fragment.isEmpty ? "" : "#")
                + PercentEncoding.encode(fragment.dropFirst(), keeping: .unescapedInFragment)
        }
    }

    /// An absolute URL, or a reference relative to another URL.
    private struct Reference {
        let scheme: Substring?
        let authority: Substring?
        var components: Components

        init(scheme: Substring?, authority: Substring?) {
            self.scheme = scheme
            self.authority = authority
            components = Components("")
        }

        /// Returns `nil` for a scheme that is neither `http` nor `https`.
        init?(_ text: some StringProtocol) {
            let text = Substring(text)
            let end = text.utf8.firstIndex { "/?#".utf8.contains($0) } ?? text.endIndex
            let colon = text.utf8[..<end].firstIndex(of: UInt8(ascii: ":"))
                .flatMap { URLScheme.isValid(text.utf8[..<$0]) ? $0 : nil }
            scheme = colon.map { text[..<$0] }
            guard scheme.map({ ["http", "https"].contains($0.asciiLowercased) }) ?? true else { return nil }
            let rest = text[(colon.map(text.utf8.index(after:)) ?? text.startIndex)...]
            guard rest.utf8.starts(with: "//".utf8) else {
                authority = nil
                components = Components(rest)
                return
            }
            let start = hierarchyStart(of: rest.utf8)
            authority = rest[rest.utf8.index(rest.startIndex, offsetBy: 2)..<start]
            components = Components(rest[start...])
        }

        /// The scheme and the authority as `URL` spells them; `nil` if one of them is missing or invalid.
        var root: String? {
            guard let scheme, let authority, !authority.isEmpty,
                let url = URL(string: "\(scheme)://\(authority)"), url.path().isEmpty, url.host()?.isEmpty == false
            else { return nil }
            return url.absoluteString
        }
    }
}

/// URL schemes (RFC 3986, section 3.1).
public enum URLScheme {
    /// Returns a Boolean value that indicates whether the bytes are a scheme: a letter, followed by letters, digits,
    /// `+`, `-` and `.`.
    @inlinable
    public static func isValid(_ text: some Collection<UInt8>) -> Bool {
        guard let first = text.first, first.isASCIILetter else { return false }
        return text.allSatisfy { byte in
            byte.isASCIIAlphanumeric || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
        }
    }

    /// Returns a Boolean value that indicates whether the text is a scheme in lowercase.
    @inlinable
    public static func isLowercase(_ text: some StringProtocol) -> Bool {
        isValid(text.utf8) && !text.utf8.contains { $0.isASCIIUppercase }
    }
}

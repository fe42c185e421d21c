// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The filters of WebKit content rules for the URLs that a rule matches, WebSockets included.
///
/// Their regular expressions have no alternatives, counts and classes such as `\d`: a pattern has one filter for each
/// alternative, and counted parts are repeated. The limits keep the automata of the engine small, whose states grow
/// exponentially with the number of sets after a repetition.
enum URLFilter {
    /// The maximum number of characters in a path.
    static let maxLength = 512
    /// The maximum number of alternatives of a path.
    static let maxAlternatives = 16
    /// The maximum number of unlimited repetitions in a path, and that of sets after one.
    static let maxRepetitions = 8

    /// Returns the filters, which are case-sensitive regular expressions; empty if no URL matches.
    /// - Returns: `nil` if filters cannot express the path.
    static func filters(scheme: RouteRule.Scheme?, host: HostPattern?, path: PathPattern?) -> [String]? {
        let paths: [String]
        if let path {
            guard let syntax = path.syntax else { return nil }
            let parts = beginnings(of: syntax).map(Part.alternatives)
            guard let found = joined(parts.flatMap { $0?.map { ends(of: $0.text) } ?? [nil] }),
                found.count <= maxAlternatives
            else { return nil }
            paths = found
        } else {
            paths = ["/"]
        }
        return origins(scheme, host).flatMap { origin in paths.map { origin + $0 } }
    }

    /// Returns the beginnings of filters: the schemes `http` and `ws`, or `https` and `wss`, and the authority.
    private static func origins(_ scheme: RouteRule.Scheme?, _ host: HostPattern?) -> [String] {
        guard let host else { return [beginning(of: scheme) + "[^/@]+"] }
        let below = host.matchesBelow ? "[^/:@]+\\." : ""
        let name = below + host.rootless.utf8.map(escaped).joined() + "\\.?"
        guard let port = host.port else { return [beginning(of: scheme) + name + "(:[0-9]+)?"] }
        let schemes = scheme.map { [$0] } ?? RouteRule.Scheme.allCases
        // URLs do not contain the default port.
        return schemes.map { scheme in
            beginning(of: scheme) + name + (port == (scheme == .http ? 80 : 443) ? "" : ":\(port)")
        }
    }

    private static func beginning(of scheme: RouteRule.Scheme?) -> String {
        switch scheme {
        case nil: "^[hw]t*[sp]s?://"
        case .http?: "^[hw]t*[sp]://"
        case .https?: "^[hw]t*[sp]s://"
        }
    }

    /// Returns the patterns without and with a part at the beginning that may be absent.
    private static func beginnings(of syntax: PathSyntax) -> [PathSyntax] {
        guard case .sequence(let parts) = syntax, case .repetition(let part, 0, 1)? = parts.first else {
            return [syntax]
        }
        let rest = Array(parts.dropFirst())
        return [.joined(rest), .joined([part] + rest)]
    }

    /// Returns the ends of filters for the expression of a path, which begins with a slash.
    private static func ends(of text: String) -> [String]? {
        if text.hasPrefix(anything) {
            let rest = String(text.dropFirst(anything.count))
            // The repetition contains the first slash, or is empty.
            return [end("/" + text)] + (rest.hasPrefix("/") ? ends(of: rest) ?? [] : [])
        }
        // The repetition contains the first slash.
        if text.hasPrefix(something) { return [end("/" + anything + text.dropFirst(something.count))] }
        if text.hasPrefix(segment) { return ends(of: String(text.dropFirst(segment.count))) }
        guard text.hasPrefix("/"), !["*", "?"].contains(text.dropFirst().first) else { return nil }
        return [end(text)]
    }

    private static func end(_ text: String) -> String {
        text.hasSuffix(anything) ? String(text.dropLast(anything.count)) : text + "([?#].*)?$"
    }

    private static func joined(_ lists: [[String]?]) -> [String]? {
        lists.reduce([]) { all, list in all.flatMap { all in list.map { all + $0 } } }
    }

    /// The expressions for any bytes of a path, for at least one, and for any bytes of a segment.
    private static let anything = "[^?#]*"
    private static let something = "[^?#]+"
    private static let segment = "[^/?#]*"

    fileprivate static func escaped(_ byte: UInt8) -> String {
        let letter = String(UnicodeScalar(byte))
        return "\\^$.|?*+()[]{}".utf8.contains(byte) ? "\\" + letter : letter
    }
}

/// The expression for a part of a path.
private struct Part {
    var text = ""
    /// A Boolean value that indicates whether the expression can be repeated without parentheses.
    var isUnit = false
    var sets = 0
    var setsAfterRepetition = 0
    var repetitions = 0

    private var isWithinLimits: Bool {
        text.utf8.count <= URLFilter.maxLength && repetitions <= URLFilter.maxRepetitions
            && setsAfterRepetition <= URLFilter.maxRepetitions
    }

    /// Returns the alternatives of a pattern; `nil` if it cannot be expressed within the limits.
    static func alternatives(of syntax: PathSyntax) -> [Part]? {
        let parts: [Part]?
        switch syntax {
        case .nothing: return [Part()]
        case .one(let set): return one(set)
        case .sequence(let list): parts = sequence(list)
        case .choice(let options):
            if let set = union(of: options) { return one(set) }
            parts = options.reduce([] as [Part]?) { all, option in
                guard let all, let more = alternatives(of: option) else { return nil }
                return all + more
            }
        case .repetition(let part, let min, let max): parts = repeated(part, min, max)
        }
        guard let parts, parts.count <= URLFilter.maxAlternatives, parts.allSatisfy(\.isWithinLimits) else {
            return nil
        }
        return parts
    }

    private static func sequence(_ list: [PathSyntax]) -> [Part]? {
        func byte(_ index: Int) -> UInt8? {
            guard list.indices.contains(index), case .one(let set) = list[index] else { return nil }
            return set.single
        }
        var parts = [Part()]
        for (index, syntax) in list.enumerated() {
            let isEscape = [index - 1, index - 2].contains { byte($0) == UInt8(ascii: "%") }
            if isEscape, let digit = byte(index), (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(digit) {
                // The URL may have the escape in lower case.
                let text = "[\(UnicodeScalar(digit))\(UnicodeScalar(digit + 32))]"
                parts = parts.map { $0.followed(by: Part(text: text)) }
                continue
            }
            guard let next = alternatives(of: syntax), parts.count * next.count <= URLFilter.maxAlternatives else {
                return nil
            }
            parts = parts.flatMap { part in next.map { part.followed(by: $0) } }
            guard parts.allSatisfy(\.isWithinLimits) else { return nil }
        }
        return parts
    }

    private static func repeated(_ syntax: PathSyntax, _ min: Int, _ max: Int?) -> [Part]? {
        guard let parts = alternatives(of: syntax) else { return nil }
        guard parts.count == 1 else {
            guard !parts.isEmpty else { return min == 0 ? [Part()] : [] }
            // An unlimited repetition of alternatives would need a group of alternatives.
            guard let max, max <= URLFilter.maxAlternatives else { return nil }
            return (min...max).reduce([] as [Part]?) { all, count in
                guard let all, let more = sequence(Array(repeating: syntax, count: count)),
                    all.count + more.count <= URLFilter.maxAlternatives
                else { return nil }
                return all + more
            }
        }
        var part = parts[0]
        if max == nil, case .one(let set) = syntax {
            // A URL may contain characters that a path in normal form has as escapes.
            let others = pathBytes.filter { !set.contains($0) }
            if others.isEmpty { part.text = "[^?#]" }
            if others == [UInt8(ascii: "/")] { part.text = "[^/?#]" }
        }
        let unit = part.isUnit ? part.text : "(\(part.text))"
        let copies = max ?? Swift.max(min, 1)
        guard unit.utf8.count * copies <= URLFilter.maxLength else { return nil }
        var whole = Part()
        for copy in 0..<copies {
            var next = part
            next.text = unit
            if max == nil, copy == copies - 1 {
                next.text += min == 0 ? "*" : "+"
                next.repetitions += 1
                next.setsAfterRepetition = part.isUnit ? 0 : part.sets
                if part.isUnit { next.sets = 0 }
            } else if copy >= min {
                next.text += "?"
            }
            next.isUnit = next.isUnit && next.text == part.text
            whole = whole.followed(by: next)
        }
        return [whole]
    }

    private func followed(by next: Part) -> Part {
        Part(
            text: text + next.text, isUnit: text.isEmpty && next.isUnit, sets: sets + next.sets,
            setsAfterRepetition: setsAfterRepetition + (repetitions > 0 ? next.sets : next.setsAfterRepetition),
            repetitions: repetitions + next.repetitions)
    }

    private static func union(of options: [PathSyntax]) -> ByteSet? {
        options.reduce(ByteSet() as ByteSet?) { all, option in
            guard var all, case .one(let set) = option else { return nil }
            all.formUnion(set)
            return all
        }
    }

    /// The bytes of paths in normal form.
    private static let pathBytes = (UInt8(0x21)...0x7E).filter { $0 == UInt8(ascii: "%") || ASCIISet.path.contains($0) }

    /// Returns the expression for a byte of a path; empty if paths contain none of the set.
    private static func one(_ set: ByteSet) -> [Part] {
        let bytes = pathBytes.filter(set.contains)
        if bytes.count == 1 { return [Part(text: URLFilter.escaped(bytes[0]), isUnit: true)] }
        return bytes.isEmpty ? [] : [Part(text: "[\(ranges(bytes))]", isUnit: true, sets: 1)]
    }

    private static func ranges(_ bytes: [UInt8]) -> String {
        func escaped(_ byte: UInt8) -> String {
            ("\\]^[-".utf8.contains(byte) ? "\\" : "") + String(UnicodeScalar(byte))
        }
        var text = ""
        var rest = bytes[...]
        while let first = rest.popFirst() {
            var last = first
            while rest.first == last + 1 { last = rest.removeFirst() }
            text += escaped(first)
            if last > first { text += (last > first + 1 ? "-" : "") + escaped(last) }
        }
        return text
    }
}

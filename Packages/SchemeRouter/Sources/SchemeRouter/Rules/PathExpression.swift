// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The parser of regular expressions for complete paths.
///
/// The syntax is: letters, `.`, `[a-z]`, `[^/]`, `\d`, `\w`, escaped characters, groups `( )` and `(?: )`, `|`, and
/// `*`, `+`, `?`, `{2}`, `{2,}`, `{2,5}`. Constructs that require backtracking are not supported: back references,
/// look-around, lazy and possessive repetition. Anchors are not supported because the complete path is matched.
struct PathExpression {
    private static let maxDepth = 16
    /// The maximum count of a repetition. A larger count would exceed the automaton.
    private static let maxCount = PathAutomaton.maxPositions

    private var rest: ArraySlice<UInt8>
    private var depth = 0

    /// Parses an expression.
    /// - Throws: ``RouteError`` with code `badRule`.
    static func parse(_ text: String) throws -> PathSyntax {
        var reader = PathExpression(rest: Array(text.utf8)[...])
        let syntax = try reader.choice()
        guard reader.rest.isEmpty else { throw reader.fault("unmatched ')'") }
        return syntax
    }

    private mutating func choice() throws -> PathSyntax {
        var options = [try sequence()]
        while consume("|") { options.append(try sequence()) }
        guard options.count > 1 else { return options[0] }
        let real = options.filter { $0 != .nothing }
        guard !real.isEmpty else { return .nothing }
        let choice = real.count > 1 ? PathSyntax.choice(real) : real[0]
        return real.count < options.count ? .repeated(choice, min: 0, max: 1) : choice
    }

    private mutating func sequence() throws -> PathSyntax {
        var parts: [PathSyntax] = []
        while let next = rest.first, next != UInt8(ascii: "|"), next != UInt8(ascii: ")") {
            parts.append(try repetition())
        }
        return .joined(parts)
    }

    private mutating func repetition() throws -> PathSyntax {
        let part = try atom()
        let repeated: PathSyntax
        if consume("*") {
            repeated = .repeated(part, min: 0, max: nil)
        } else if consume("+") {
            repeated = .repeated(part, min: 1, max: nil)
        } else if consume("?") {
            repeated = .repeated(part, min: 0, max: 1)
        } else if consume("{") {
            repeated = try counted(part)
        } else {
            return part
        }
        if let next = rest.first, "*+?{".utf8.contains(next) {
            throw fault("a repeated repetition; lazy and possessive ones are not supported")
        }
        return repeated
    }

    private mutating func counted(_ part: PathSyntax) throws -> PathSyntax {
        guard let min = try number() else { throw fault("a '{' without a number") }
        var max: Int? = min
        if consume(",") { max = try number() }
        guard consume("}"), max.map({ $0 >= min }) ?? true else { throw fault("a repetition is {n}, {n,} or {n,m}") }
        return .repeated(part, min: min, max: max)
    }

    private mutating func number() throws -> Int? {
        var value: Int?
        while let digit = rest.first, ByteSet.digits.contains(digit) {
            rest.removeFirst()
            value = (value ?? 0) * 10 + Int(digit - UInt8(ascii: "0"))
            if let value, value > Self.maxCount { throw fault("a repetition of more than \(Self.maxCount)") }
        }
        return value
    }

    private mutating func atom() throws -> PathSyntax {
        guard let byte = rest.popFirst() else { throw fault("unexpected end of the expression") }
        switch byte {
        case UInt8(ascii: "("):
            if consume("?"), !consume(":") { throw fault("an unsupported kind of group") }
            depth += 1
            guard depth <= Self.maxDepth else { throw fault("more than \(Self.maxDepth) nested groups") }
            let inner = try choice()
            guard consume(")") else { throw fault("unmatched '('") }
            depth -= 1
            return inner
        case UInt8(ascii: "["): return .one(try set())
        case UInt8(ascii: "."): return .one(.all)
        case UInt8(ascii: "\\"): return .one(try escape())
        case UInt8(ascii: "^"), UInt8(ascii: "$"):
            throw fault("an anchor; the complete path is always matched")
        case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"), UInt8(ascii: "{"):
            throw fault("a repetition of nothing")
        default: return .one(ByteSet(try plain(byte)))
        }
    }

    private mutating func escape() throws -> ByteSet {
        guard let byte = rest.popFirst() else { throw fault("a '\\' at the end") }
        switch byte {
        case UInt8(ascii: "d"): return .digits
        case UInt8(ascii: "w"): return .word
        default:
            guard !ByteSet.word.contains(byte) else { throw fault("an unknown escape") }
            return ByteSet(try plain(byte))
        }
    }

    private mutating func set() throws -> ByteSet {
        var set = ByteSet()
        let isInverted = consume("^")
        while !consume("]") {
            guard let byte = rest.popFirst() else { throw fault("unmatched '['") }
            guard byte != UInt8(ascii: "[") else { throw fault("a nested set") }
            if byte == UInt8(ascii: "\\") {
                set.formUnion(try escape())
                continue
            }
            let lower = try plain(byte)
            guard rest.first == UInt8(ascii: "-"), let after = rest.dropFirst().first, after != UInt8(ascii: "]") else {
                set.insert(lower)
                continue
            }
            rest.removeFirst(2)
            let upper = try plain(after)
            guard upper >= lower, after != UInt8(ascii: "\\") else { throw fault("a descending range") }
            set.formUnion(ByteSet(lower...upper))
        }
        guard !set.isEmpty else { throw fault("an empty set") }
        return isInverted ? set.inverted : set
    }

    /// Returns a character that can occur unescaped in a path; throws for others, which paths contain only as escapes.
    private func plain(_ byte: UInt8) throws -> UInt8 {
        guard (0x21...0x7E).contains(byte) else {
            throw fault("a character that paths contain only as an escape such as %20")
        }
        return byte
    }

    private mutating func consume(_ letter: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: letter) else { return false }
        rest.removeFirst()
        return true
    }

    private func fault(_ what: String) -> RouteError {
        RouteError(.badRule, "expression: \(what), at byte \(rest.startIndex)")
    }
}

/// The syntax tree of a path pattern. Every node except ``nothing`` can match at least one byte.
indirect enum PathSyntax: Hashable {
    /// The empty string.
    case nothing
    case one(ByteSet)
    case sequence([PathSyntax])
    case choice([PathSyntax])
    /// A repetition of at least `min` and at most `max` times; unbounded if `max` is `nil`.
    case repetition(PathSyntax, min: Int, max: Int?)

    /// Joins parts and drops empty ones.
    static func joined(_ parts: [PathSyntax]) -> PathSyntax {
        let parts = parts.filter { $0 != .nothing }
        return parts.count > 1 ? .sequence(parts) : parts.first ?? .nothing
    }

    /// Repeats a part. Returns ``nothing`` for an empty part, so that no unbounded repetition matches empty strings.
    static func repeated(_ part: PathSyntax, min: Int, max: Int?) -> PathSyntax {
        part == .nothing || max == 0 ? .nothing : .repetition(part, min: min, max: max)
    }

    /// Returns a pattern for any number of bytes of a set.
    static func run(of set: ByteSet) -> PathSyntax {
        .repetition(.one(set), min: 0, max: nil)
    }
}

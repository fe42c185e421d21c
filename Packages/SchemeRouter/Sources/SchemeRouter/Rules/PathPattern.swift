// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A pattern for the paths of a host: a glob or a regular expression.
///
/// The pattern is matched against the complete normalised path, without query and fragment. Matching is
/// case-sensitive.
///
/// - A glob: `*` matches any characters within a path segment, `**` any characters, and `?` one character except a
///   slash. `/app/**` matches everything below `/app/`, and `/**/a.js` that file in any folder.
/// - An expression: letters, `.`, sets such as `[a-z]`, `\d`, `\w`, groups, `|`, `*`, `+`, `?`, `{2,5}`. Matching never
///   backtracks, so the cost is at most the length of the path multiplied by the number of characters and sets in the
///   pattern. A repeated part counts as often as its maximum.
public struct PathPattern: Sendable, Hashable, CustomStringConvertible {
    /// The syntax of a pattern.
    enum Form: String, Sendable, Hashable {
        case glob
        case expression
    }

    let form: Form
    /// The source text of the pattern.
    public let text: String
    /// The literal prefix of all matching paths.
    private let beginning: [UInt8]
    private let rest: Rest

    private enum Rest: Sendable {
        case nothing
        case anything
        case automaton(PathAutomaton)
    }

    /// Creates a pattern from a glob.
    /// - Throws: ``RouteError``.
    public init(glob text: String) throws {
        try self.init(text, form: .glob, PathGlob.parse(text))
    }

    /// Creates a pattern from a regular expression.
    /// - Throws: ``RouteError``.
    public init(expression text: String) throws {
        try self.init(text, form: .expression, PathExpression.parse(text))
    }

    private init(_ text: String, form: Form, _ syntax: PathSyntax) throws {
        self.text = text
        self.form = form
        var parts = if case .sequence(let parts) = syntax { parts[...] } else { [syntax][...] }
        var beginning: [UInt8] = []
        while case .one(let set)? = parts.first, let byte = set.single {
            beginning.append(byte)
            parts.removeFirst()
        }
        self.beginning = beginning
        switch PathSyntax.joined(Array(parts)) {
        case .nothing: rest = .nothing
        case .run(of: .all): rest = .anything
        case let syntax: rest = .automaton(try PathAutomaton(syntax))
        }
    }

    /// Returns a Boolean value that indicates whether a path matches the pattern.
    /// - Parameter target: The path and query of a request. A path of more than 4 KiB does not match.
    public func matches(_ target: String) -> Bool {
        NormalPath(target).map(matches) ?? false
    }

    func matches(_ path: NormalPath) -> Bool {
        guard path.bytes.starts(with: beginning) else { return false }
        switch rest {
        case .nothing: return path.bytes.count == beginning.count
        case .anything: return true
        case .automaton(let automaton): return automaton.matches(path.bytes.dropFirst(beginning.count))
        }
    }

    /// The only path that matches; `nil` if others do.
    var fixed: String? {
        guard case .nothing = rest, beginning.first == UInt8(ascii: "/") else { return nil }
        return String(decoding: beginning, as: UTF8.self)
    }

    /// The syntax tree of the pattern. It is parsed again, because few patterns need it.
    var syntax: PathSyntax? {
        switch form {
        case .glob: try? PathGlob.parse(text)
        case .expression: try? PathExpression.parse(text)
        }
    }

    /// The number of automaton positions, which bounds the cost per byte; zero for a fixed path and for everything
    /// below a folder.
    var positions: Int {
        if case .automaton(let automaton) = rest { automaton.positions } else { 0 }
    }

    public static func == (left: PathPattern, right: PathPattern) -> Bool {
        left.form == right.form && left.text == right.text
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(form)
        hasher.combine(text)
    }

    public var description: String { text }
}

/// A pattern for page URLs, such as `shop.example`, `https://*.shop.example` or `https://shop.example/app/**`.
///
/// Without a scheme, `http` and `https` match. Without a path, all paths match. The path is a glob (see
/// ``PathPattern``).
public struct PagePattern: Sendable, Hashable, CustomStringConvertible {
    /// The scheme; any scheme if it is `nil`.
    public let scheme: RouteRule.Scheme?
    /// The host.
    public let host: HostPattern
    public let path: PathPattern?

    /// Parses a pattern.
    /// - Throws: ``RouteError``.
    public init(_ text: String) throws {
        var rest = text[...]
        scheme = RouteRule.Scheme.allCases.first { text.hasPrefix("\($0.rawValue)://") }
        if let scheme { rest = rest.dropFirst(scheme.rawValue.count + 3) }
        let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        guard let host = HostPattern(String(rest[..<end])) else { throw RouteError(.badRule, "not a page: \(text)") }
        self.host = host
        path = try rest[end...].isEmpty ? nil : PathPattern(glob: String(rest[end...]))
    }

    func matches(_ page: RoutedURL) -> Bool {
        (scheme.map { $0 == page.scheme } ?? true) && page.matches(host) && (path?.matches(page.path) ?? true)
    }

    public var description: String {
        "\(scheme.map { "\($0.rawValue)://" } ?? "")\(host)\(path?.text ?? "")"
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Some of the paths of a host: a glob, or a regular expression. Both are matched against the whole path, without query
/// and fragment, with needless escapes resolved and the others in capitals; the case of letters counts.
///
/// - A glob: `*` is any letters of one part of the path, `**` any letters, `?` one letter that is no slash. `/app/**` is
///   all below `/app/`, `/**/a.js` that file in any folder.
/// - An expression: letters, `.`, sets such as `[a-z]`, `\d`, `\w`, groups, `|`, `*`, `+`, `?`, `{2,5}`. There is
///   neither backtracking nor what would need it, so no pattern takes longer than its positions times the path's bytes.
public struct PathPattern: Sendable, Hashable, CustomStringConvertible {
    /// How a pattern is written.
    public enum Form: String, Sendable, Hashable {
        case glob
        case expression
    }

    public let form: Form
    /// As it was written.
    public let text: String
    /// What every path begins with.
    private let beginning: [UInt8]
    private let rest: Rest

    private enum Rest: Sendable {
        case nothing
        case anything
        case automaton(PathAutomaton)
    }

    /// - Throws: ``RouteError``.
    public init(glob text: String) throws {
        try self.init(text, form: .glob, PathGlob.parse(text))
    }

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

    /// Whether a path is one of them.
    /// - Parameter target: path and query of a request. One of more than 4 KiB is not.
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

    /// What it may cost: positions that are followed for each byte. None for a fixed path, and for all below one.
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

/// Some pages, by their URL: `shop.example`, `https://*.shop.example`, `https://shop.example/app/**`. Without a scheme
/// both `http` and `https` are meant, without a path all paths; the path is a glob (see ``PathPattern``).
public struct PagePattern: Sendable, Hashable, CustomStringConvertible {
    public let scheme: RouteRule.Scheme?
    public let host: HostPattern
    public let path: PathPattern?

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

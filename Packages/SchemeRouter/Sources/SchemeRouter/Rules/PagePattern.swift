// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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

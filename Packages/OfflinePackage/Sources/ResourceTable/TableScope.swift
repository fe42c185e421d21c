// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import WebSyntax

/// The hosts that a resource table may cover, so that the server of one site cannot serve content for another.
///
/// A host is `m.example.com`, or `*.example.com` for all hosts below a domain but not the domain itself, or `*` for
/// all hosts. Ports and case are ignored.
public struct TableScope: Sendable, Hashable {
    /// The hosts of the URLs that entries may cover.
    public var pages: Set<String>
    /// The hosts that files may be downloaded from, including redirects.
    public var downloads: Set<String>

    /// Creates a scope.
    /// - Parameters:
    ///   - pages: the hosts of the URLs that entries may cover.
    ///   - downloads: the hosts that files may be downloaded from. If `nil`, the default, they are the same as
    ///     `pages`.
    public init(pages: Set<String>, downloads: Set<String>? = nil) {
        self.pages = pages
        self.downloads = downloads ?? pages
    }

    /// All hosts, for the developer's own tables.
    public static let unlimited = TableScope(pages: ["*"])

    /// Creates the scope of the hosts of the table's sources.
    init(of endpoints: TableEndpoints) {
        let sources = [endpoints.primary, endpoints.mirror].compactMap { $0?.description }
        self.init(pages: Set(sources.compactMap { WebOrigin.host(of: $0).map(String.init) }))
    }

    /// Returns a Boolean value that indicates whether files may be downloaded from a URL.
    func allowsDownload(from url: String) -> Bool {
        WebOrigin.host(of: url).map { Self.allows($0, in: downloads) } ?? false
    }

    /// Checks each entry of a table.
    /// - Throws: ``TableError`` with code `outOfScope`.
    func check(_ table: URLTable) throws(TableError) {
        // Most entries have the same hosts as the previous one.
        var pageHost: Substring = ""
        var downloadHost: Substring = ""
        for entry in table.entries {
            let url = entry.url.description
            let host = WebOrigin.host(of: url) ?? ""
            if host != pageHost {
                guard Self.allows(host, in: pages) else {
                    throw TableError(.outOfScope, "the table must not cover the host \(host)", at: url)
                }
                pageHost = host
            }
            let source = entry.download.description
            let other = WebOrigin.host(of: source) ?? ""
            if other != downloadHost {
                guard Self.allows(other, in: downloads) else {
                    throw TableError(.outOfScope, "files must not be downloaded from the host \(other)", at: source)
                }
                downloadHost = other
            }
        }
    }

    private static func allows(_ host: Substring, in patterns: Set<String>) -> Bool {
        guard !host.isEmpty else { return false }
        return patterns.contains { pattern in
            let pattern = pattern.asciiLowercased
            if pattern == "*" { return true }
            // The dot is kept, so that `*.example.com` matches `a.example.com` but not `badexample.com`.
            return pattern.hasPrefix("*.") ? host.hasSuffix(pattern.dropFirst()) : host == pattern
        }
    }
}

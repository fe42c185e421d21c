// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import StrictJSON
internal import WebSyntax

/// The hosts that a page sends requests to. Their names are resolved when the page opens.
///
/// `container-browser --suggest` measures them and writes them to `hosts.json`.
public struct PageHosts: Sendable, Hashable {
    /// The maximum number of bytes of a list.
    static let maxBytes = 65_536
    /// The maximum number of hosts of a page. Hosts after the limit are ignored.
    static let maxHosts = 64

    /// The URL of the page without query and fragment.
    public let page: String
    /// The names of the hosts in the order of their first use, in lower case and without duplicates.
    public let hosts: [String]

    /// Creates a list. Addresses and invalid names are omitted.
    /// - Parameters:
    ///   - page: the URL of the page. Its query and its fragment have no effect.
    ///   - hosts: the names of the hosts in the order of their first use.
    public init(page: String, hosts: [String]) {
        self.page = Self.page(page)
        var known: Set<String> = []
        var names: [String] = []
        for host in hosts where names.count < Self.maxHosts {
            guard let name = try? DomainName(host: host), known.insert(name.description).inserted else { continue }
            names.append(name.description)
        }
        self.hosts = names
    }

    /// Reads `hosts.json`: an object with `page` and with `hosts`, an array of objects with `host`. Other members are
    /// ignored.
    /// - Throws: ``NameResolutionError`` with code `badMessage` or `tooLarge`.
    public init(json: some Sequence<UInt8>) throws(NameResolutionError) {
        let bytes = Array(json)
        guard bytes.count <= Self.maxBytes else {
            throw NameResolutionError(.tooLarge, "a list of hosts of more than \(Self.maxBytes) bytes")
        }
        var page: String?
        var hosts: [String]?
        do {
            try bytes.withUnsafeBytes { bytes in
                var scanner = JSONScanner(bytes, limits: .init(depth: 8))
                try scanner.readObject { scanner, member in
                    if scanner.equals(member, "page") {
                        page = try scanner.readAsText()
                    } else if scanner.equals(member, "hosts") {
                        hosts = try Self.readHosts(&scanner)
                    } else {
                        try scanner.skipValue()
                    }
                }
                try scanner.finish()
            }
        } catch {
            throw NameResolutionError(.badMessage, "no list of hosts: \((error as? JSONError)?.message ?? "\(error)")")
        }
        guard let page, let hosts else {
            throw NameResolutionError(.badMessage, "a list of hosts without the member page or hosts")
        }
        self.init(page: page, hosts: hosts)
    }

    private static func readHosts(_ scanner: inout JSONScanner) throws -> [String] {
        var hosts: [String] = []
        try scanner.readArray { scanner in
            try scanner.readObject { scanner, member in
                if scanner.equals(member, "host"), let host = try scanner.readAsText() {
                    hosts.append(host)
                } else if !scanner.equals(member, "host") {
                    try scanner.skipValue()
                }
            }
        }
        return hosts
    }

    /// Returns a URL without its query and fragment; a URL without a path has the path `/`.
    static func page(_ url: String) -> String {
        let page = String(url.prefix { $0 != "?" && $0 != "#" })
        return WebOrigin(url: page).map(\.description) == page ? page + "/" : page
    }
}

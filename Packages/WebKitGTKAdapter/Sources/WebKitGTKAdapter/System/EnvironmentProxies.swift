// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

#if os(Linux)
    internal import SystemSupport
    internal import WebSyntax

    /// The proxies that environment variables name, by the rules of curl.
    ///
    /// - `https_proxy` applies to `https`; `http_proxy` to `http`, and to `https` if there is no `https_proxy`;
    ///   `all_proxy` to schemes without another variable. The lower-case name precedes the upper-case name. An empty
    ///   value counts as missing. curl does not use `http_proxy` for `https`; web engines do.
    /// - `HTTP_PROXY` is ignored in a CGI program, where a request can set it (`REQUEST_METHOD` is set).
    /// - A value without a scheme names an HTTP proxy; see `ProxyRoute.init(proxyURL:)`.
    /// - Hosts of `no_proxy` or `NO_PROXY` have a direct connection. The entries are separated by commas or white
    ///   space. An entry is a domain, which includes the names below it, also with a leading `.` or `*.`; an address; a
    ///   network such as `10.0.0.0/8`; or `*` for all hosts. A port limits it to that port. Other entries are ignored.
    ///
    /// Isolation: any.
    struct EnvironmentProxies: ProxyResolving, Hashable {
        /// The value of a variable. It omits the password from descriptions, as routes do.
        private enum Setting: Hashable {
            case route(ProxyRoute)
            case unsupported

            init(_ value: String) {
                let hasScheme = value.utf8.firstRange(of: "://".utf8) != nil
                self = ProxyRoute(proxyURL: hasScheme ? value : "http://\(value)").map { .route($0) } ?? .unsupported
            }
        }

        /// The proxy of `http`; `nil` for direct connections.
        private let plain: Setting?
        /// The proxy of `https`; `nil` for direct connections.
        private let secure: Setting?
        private let exceptions: [ProxyException]

        /// Reads the variables of an environment.
        ///
        /// Returns `nil` if no variable names a proxy, or if one names a script (`pac+http://…`, `wpad:`), which only
        /// the resolver of the system can use.
        /// - Parameter environment: the values of the variables by name.
        init?(_ environment: [String: String]) {
            let first = { (names: [String]) in
                names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
            }
            let plainNames = environment["REQUEST_METHOD"] == nil ? ["http_proxy", "HTTP_PROXY"] : ["http_proxy"]
            let allNames = ["all_proxy", "ALL_PROXY"]
            let plain = first(plainNames + allNames)
            let secure = first(["https_proxy", "HTTPS_PROXY"] + plainNames + allNames)
            let values = [plain, secure].compactMap(\.self)
            guard !values.isEmpty, !values.contains(where: Self.namesScript) else { return nil }
            self.plain = plain.map(Setting.init)
            self.secure = secure.map(Setting.init)
            exceptions = (first(["no_proxy", "NO_PROXY"]) ?? "")
                .split { $0 == "," || $0.isWhitespace }.compactMap { ProxyException($0) }
        }

        /// - Throws: `ResourceError` with code `cannotConnect` if the variable names no proxy of a supported kind.
        func routes(to host: HostPort, isSecure: Bool) throws -> [ProxyRoute] {
            let client = ProxyException.Host(host)
            guard let setting = isSecure ? secure : plain, !exceptions.contains(where: { $0.covers(client) }) else {
                return [.direct]
            }
            guard case .route(let route) = setting else {
                throw ResourceError(
                    .cannotConnect, "the environment names no proxy of a supported kind", at: host.description)
            }
            return [route]
        }

        private static func namesScript(_ value: String) -> Bool {
            let value = value.asciiLowercased
            return value.hasPrefix("pac+") || value.hasPrefix("wpad://") || value == "wpad:"
        }
    }

    /// An entry of `no_proxy`.
    private struct ProxyException: Hashable {
        /// A host in the form that entries are compared with.
        struct Host {
            let name: String
            /// The octets of an address; `nil` for a name.
            let address: [UInt8]?
            let port: Int

            init(_ host: HostPort) {
                name = host.host.withoutTrailingDot
                address = octets(of: host.host)
                port = host.port
            }
        }

        private enum Hosts: Hashable {
            case all
            case domain(String)
            case network([UInt8], bits: Int)
        }

        private let hosts: Hosts
        /// The only port of the entry; `nil` for all ports.
        private let port: Int?

        /// Returns `nil` for an entry of another form.
        init?(_ entry: Substring) {
            if entry == "*" {
                (hosts, port) = (.all, nil)
            } else if let address = octets(of: entry) {
                (hosts, port) = (.network(address, bits: address.count * 8), nil)
            } else if let slash = entry.firstIndex(of: "/") {
                guard let address = octets(of: entry[..<slash]),
                    let bits = UInt16(decimalDigits: entry[entry.index(after: slash)...].utf8),
                    bits <= address.count * 8
                else { return nil }
                (hosts, port) = (.network(address, bits: Int(bits)), nil)
            } else {
                let name = entry.hasPrefix("*.") ? entry.dropFirst(2) : entry.hasPrefix(".") ? entry.dropFirst() : entry
                guard let authority = Authority(name.utf8) else { return nil }
                let host = Substring(authority.host)
                if let address = octets(of: host) {
                    hosts = .network(address, bits: address.count * 8)
                } else {
                    hosts = .domain(host.asciiLowercased.withoutTrailingDot)
                }
                port = authority.port
            }
        }

        func covers(_ host: Host) -> Bool {
            guard port == nil || port == host.port else { return false }
            switch hosts {
            case .all: return true
            case .domain(let domain):
                return host.address == nil && (host.name == domain || host.name.hasSuffix(".\(domain)"))
            case .network(let network, let bits):
                guard let address = host.address, address.count == network.count else { return false }
                return zip(address, network).enumerated().allSatisfy { index, octets in
                    // The number of leading bits of this octet that must be equal.
                    let count = min(8, max(0, bits - index * 8))
                    return (octets.0 ^ octets.1) >> (8 - count) == 0
                }
            }
        }
    }

    /// Returns the octets of an IPv4 address, or of an IPv6 address with or without brackets; `nil` for other texts.
    private func octets(of text: some StringProtocol) -> [UInt8]? {
        let bytes = Substring(text).utf8
        if HostSyntax.isIPv4Address(bytes) {
            return bytes.split(separator: UInt8(ascii: ".")).compactMap { UInt8(Substring($0)) }
        }
        let isBracketed = bytes.first == UInt8(ascii: "[") && bytes.last == UInt8(ascii: "]")
        return IPv6Address(isBracketed ? bytes.dropFirst().dropLast() : bytes[...])?.octets
    }

    extension String {
        fileprivate var withoutTrailingDot: String { hasSuffix(".") ? String(dropLast()) : self }
    }
#endif

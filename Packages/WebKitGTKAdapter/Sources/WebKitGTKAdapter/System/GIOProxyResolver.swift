// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

#if os(Linux)
    internal import CWebKitGTK
    internal import SystemSupport
    internal import WebEngine
    internal import WebSyntax

    /// The proxies of a resolver of GIO. The default resolver reads the settings of the desktop, a script of the
    /// network, or the environment variables `http_proxy`, `https_proxy` and `no_proxy`, as its modules permit.
    ///
    /// Measured on Debian 12 with `libgiolibproxy`: the variables also apply to loopback hosts, and `all_proxy` has no
    /// effect.
    ///
    /// Isolation: any. The look-up starts and ends on the main actor, in the main loop.
    struct GIOProxyResolver: ProxyResolving {
        /// A resolver of GIO.
        ///
        /// Unchecked: a resolver may be used from any thread, and reference counts are atomic.
        private struct Reference: @unchecked Sendable {
            let resolver: OpaquePointer
        }

        /// A cancellable of GIO.
        ///
        /// Unchecked: `g_cancellable_cancel` may be called from any thread, and reference counts are atomic.
        private final class Cancellation: @unchecked Sendable {
            let cancellable = g_cancellable_new()

            deinit { if let cancellable { g_object_unref(cancellable) } }

            func cancel() { g_cancellable_cancel(cancellable) }
        }

        private let reference: Reference

        /// Creates a resolver.
        /// - Parameter resolver: a `GProxyResolver`, which must outlive this value.
        init(_ resolver: OpaquePointer) {
            reference = Reference(resolver: resolver)
        }

        /// The default resolver, which lives as long as the process; `nil` if the system has none.
        static var system: GIOProxyResolver? { g_proxy_resolver_get_default().map(GIOProxyResolver.init) }

        /// - Throws: `EngineError` with code `proxy` if the look-up fails, or names only proxies of kinds that are not
        ///   supported.
        func routes(to host: HostPort, isSecure: Bool) async throws -> [ProxyRoute] {
            let uris = try await lookUp("\(isSecure ? "https" : "http")://\(host.authority(isSecure: isSecure))/")
            let routes = uris.compactMap { ProxyRoute(gio: $0) }
            guard !routes.isEmpty || uris.isEmpty else {
                throw EngineError(.proxy, "no proxy of a supported kind", at: host.description)
            }
            return routes
        }

        @MainActor
        private func lookUp(_ uri: String) async throws -> [String] {
            let cancellation = Cancellation()
            return try await withTaskCancellationHandler {
                try await lookUp(uri, cancellation)
            } onCancel: {
                cancellation.cancel()
            }
        }

        @MainActor
        private func lookUp(_ uri: String, _ cancellation: Cancellation) async throws -> [String] {
            let reference = reference
            return try await GLibAsync.call { callback, data in
                g_proxy_resolver_lookup_async(reference.resolver, uri, cancellation.cancellable, callback, data)
            } finish: { result in
                var error: UnsafeMutablePointer<GError>?
                let list = g_proxy_resolver_lookup_finish(reference.resolver, result, &error)
                defer { g_strfreev(list) }
                if let error { throw EngineError(.proxy, message(of: error), at: uri) }
                var uris: [String] = []
                while let list, let text = list[uris.count] { uris.append(String(cString: text)) }
                return uris
            }
        }
    }

    extension ProxyRoute {
        /// Parses a proxy in the form of GIO: `direct://`, or a scheme with host, port and credentials.
        ///
        /// Returns `nil` for SOCKS4, which has no IPv6 and no passwords, for a proxy over TLS, and for an invalid text.
        /// `socks` means the latest version of SOCKS.
        init?(gio uri: String) {
            guard let mark = uri.utf8.firstRange(of: "://".utf8) else { return nil }
            let scheme = uri[..<mark.lowerBound].asciiLowercased
            if scheme == "direct" {
                self = .direct
                return
            }
            var rest = Substring(uri[mark.upperBound...].utf8.prefix { $0 != UInt8(ascii: "/") })
            var credentials: Credentials?
            if let end = rest.utf8.lastIndex(of: UInt8(ascii: "@")) {
                let parts = rest[..<end].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                guard let user = PercentEncoding.decodeText(parts[0]),
                    let password = parts.count > 1 ? PercentEncoding.decodeText(parts[1]) : ""
                else { return nil }
                credentials = Credentials(username: user, password: password)
                rest = rest[rest.utf8.index(after: end)...]
            }
            switch scheme {
            case "http":
                guard let proxy = HostPort(rest, defaultPort: 80) else { return nil }
                self = .http(proxy, credentials)
            case "socks", "socks5":
                guard let proxy = HostPort(rest, defaultPort: 1_080) else { return nil }
                self = .socks5(proxy, credentials)
            default: return nil
            }
        }
    }
#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

#if os(Linux)
    internal import CWebKitGTK
    internal import SystemSupport
    internal import WebEngine
    internal import WebSyntax

    /// The proxies of a resolver of GIO. The default resolver reads the settings of the desktop, a script of the
    /// network, or environment variables, as its modules permit.
    ///
    /// Measured on Debian 12 with `libgiolibproxy`: the variables also apply to loopback hosts. `no_proxy=a.example`
    /// does not cover `b.a.example`, and `no_proxy=*` has no effect. Without the package `libproxy1-plugin-webkit`, a
    /// script (PAC) means a direct connection, without an error.
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

        /// Returns the resolver of the system; `nil` if it has none.
        ///
        /// The settings of a desktop and of the portal of a sandboxed app have precedence. Otherwise environment
        /// variables are read by the rules of curl, because GIO applies `no_proxy` to fewer hosts and ignores
        /// `all_proxy`. The default resolver of GIO decides on scripts, and if there are no variables.
        /// - Parameter environment: the values of the environment variables by name.
        static func system(_ environment: [String: String]) -> (any ProxyResolving)? {
            // The backend of the settings connects to the session bus on a thread of its own. If that starts a bus when
            // the engine starts a process, the process inherits the pipes to the launcher of the bus, and both wait for
            // each other for ever. Thus the connection exists before. It and the resolver live as long as the process.
            if let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil) {
                // Otherwise GIO ends the process when the bus ends.
                g_dbus_connection_set_exit_on_close(bus, 0)
            }
            let resolver = g_proxy_resolver_get_default()
            let readsSettings = resolver.map {
                ["GProxyResolverGnome", "GProxyResolverPortal"].contains(typeName(of: gpointer($0)))
            }
            if readsSettings != true, let proxies = EnvironmentProxies(environment) { return proxies }
            return resolver.map(GIOProxyResolver.init)
        }

        /// - Throws: `EngineError` with code `proxy` if the look-up fails, or names only proxies of kinds that are not
        ///   supported.
        func routes(to host: HostPort, isSecure: Bool) async throws -> [ProxyRoute] {
            let uris = try await lookUp("\(isSecure ? "https" : "http")://\(host.authority(isSecure: isSecure))/")
            let routes = uris.compactMap { ProxyRoute(proxyURL: $0) }
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
#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK

    /// A client of NetworkManager on the system bus. It never starts the service.
    ///
    /// Isolation: the main actor.
    @MainActor
    final class NetworkManagerClient {
        private let onChange: @MainActor () -> Void
        private var proxy: UnsafeMutablePointer<GDBusProxy>?
        /// The connections to the signals of the proxy. They retain the proxy.
        private var signals: GObjectSignals?

        /// - Parameter onChange: a closure that is called after each change of ``reading``.
        init(onChange: @escaping @MainActor () -> Void) {
            self.onChange = onChange
        }

        /// The last report of the service; `nil` if the service is absent.
        var reading: NetworkReading? {
            guard let proxy, consume(g_dbus_proxy_get_name_owner(proxy)) != nil else { return nil }
            return NetworkReading(
                connectivity: number("Connectivity", of: proxy), metered: number("Metered", of: proxy),
                primaryType: text("PrimaryConnectionType", of: proxy))
        }

        /// Observes the service. Returns when its properties have arrived, after at most the 25 seconds of a call on
        /// D-Bus. If the service starts or ends later, GIO reads the properties again.
        /// - Parameter bus: the connection to the system bus.
        func start(on bus: OpaquePointer) async {
            let name = "org.freedesktop.NetworkManager"
            let flags = [G_DBUS_PROXY_FLAGS_DO_NOT_AUTO_START, G_DBUS_PROXY_FLAGS_GET_INVALIDATED_PROPERTIES]
                .reduce(0) { $0 | $1.rawValue }
            try? await GLibAsync.call(keeping: [gpointer(bus)]) { callback, data in
                g_dbus_proxy_new(
                    bus, GDBusProxyFlags(rawValue: flags), nil, name, "/org/freedesktop/NetworkManager", name, nil,
                    callback, data)
            } finish: { [weak self] result in
                // Without the proxy, the service counts as absent.
                guard let proxy = g_dbus_proxy_new_finish(result, nil) else { return }
                self?.observe(proxy)
                g_object_unref(proxy)
            }
        }

        private func observe(_ proxy: UnsafeMutablePointer<GDBusProxy>) {
            let signals = GObjectSignals(of: proxy)
            let changed: @convention(c) (gpointer, OpaquePointer?, gpointer?, gpointer?) -> Void = { _, _, _, data in
                MainActor.assumeIsolated { target(data, as: NetworkManagerClient.self)?.onChange() }
            }
            signals.connect("g-properties-changed", unsafeBitCast(changed, to: GCallback.self), to: self)
            let owned: @convention(c) (gpointer, gpointer?, gpointer?) -> Void = { _, _, data in
                MainActor.assumeIsolated { target(data, as: NetworkManagerClient.self)?.onChange() }
            }
            signals.connect("notify::g-name-owner", unsafeBitCast(owned, to: GCallback.self), to: self)
            self.proxy = proxy
            self.signals = signals
        }

        private func number(_ property: String, of proxy: UnsafeMutablePointer<GDBusProxy>) -> UInt32? {
            guard let value = g_dbus_proxy_get_cached_property(proxy, property) else { return nil }
            defer { g_variant_unref(value) }
            return g_variant_classify(value) == G_VARIANT_CLASS_UINT32 ? g_variant_get_uint32(value) : nil
        }

        private func text(_ property: String, of proxy: UnsafeMutablePointer<GDBusProxy>) -> String? {
            guard let value = g_dbus_proxy_get_cached_property(proxy, property) else { return nil }
            defer { g_variant_unref(value) }
            guard g_variant_classify(value) == G_VARIANT_CLASS_STRING else { return nil }
            return g_variant_get_string(value, nil).map { String(cString: $0) }
        }
    }
#endif

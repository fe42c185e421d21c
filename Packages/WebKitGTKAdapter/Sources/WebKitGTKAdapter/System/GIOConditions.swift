// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

#if os(Linux)
    internal import AsyncSupport
    internal import CWebKitGTK

    /// The conditions of the device that NetworkManager and the monitors of GIO report.
    ///
    /// A system without these services reports nothing: the network is then `unknown`, and power and memory suffice.
    /// Nothing waits for a service.
    ///
    /// Isolation: the main actor; the members of `HostConditioning` may be called concurrently.
    @MainActor
    final class GIOConditions: HostConditioning {
        /// The time after the last warning until memory is regarded as normal again. The system does not report the end
        /// of memory pressure, and repeats the warning while it lasts.
        static let memoryRecovery = Duration.seconds(15)

        private let current = Mutex(HostConditions(network: .unknown))
        private let broadcast = Broadcast<HostConditions>(capacity: 1)
        private let clock: any Clock<Duration>
        private var starting: Task<Void, Never>?
        private var recovering: Task<Void, Never>?
        private var bus: OpaquePointer?
        private var networkManager: NetworkManagerClient?
        private var networkMonitor: OpaquePointer?
        private var powerMonitor: OpaquePointer?
        private var signals: [GObjectSignals] = []

        /// - Parameter clock: the clock of ``memoryRecovery``.
        init(clock: any Clock<Duration> = ContinuousClock()) {
            self.clock = clock
        }

        isolated deinit {
            recovering?.cancel()
            if let bus { g_object_unref(gpointer(bus)) }
        }

        nonisolated var conditions: HostConditions { current.withLock { $0 } }

        nonisolated func changes() -> AsyncStream<HostConditions> { broadcast.subscribe() }

        /// Starts to observe the system. Returns at once.
        func start() {
            starting = Task { [weak self] in await self?.observeSystem() }
        }

        /// Ends a start that is in progress.
        func stop() { starting?.cancel() }

        private func set(_ change: (inout HostConditions) -> Void) {
            // Sent inside the lock, so that the last element of a stream is the newest value.
            current.withLock { conditions in
                let before = conditions
                change(&conditions)
                if conditions != before { broadcast.send(conditions) }
            }
        }

        // MARK: System

        private func observeSystem() async {
            await openBus()
            let networkManager = NetworkManagerClient { [weak self] in self?.updateNetwork() }
            self.networkManager = networkManager
            if let bus { await networkManager.start(on: bus) }
            guard !Task.isCancelled else { return }
            updateNetwork()
            observePower()
            observeMemory()
            // The bus may have started since; then the monitors above are connected to it.
            if bus == nil { await openBus() }
        }

        /// Connects to the system bus, and lets the process outlive it.
        ///
        /// The connection is one for the whole process, and the monitors of GIO use it too. Measured without this call:
        /// when the bus ends, GIO sends SIGTERM to the process.
        private func openBus() async {
            try? await GLibAsync.call { callback, data in
                g_bus_get(G_BUS_TYPE_SYSTEM, nil, callback, data)
            } finish: { [weak self] result in
                guard let bus = g_bus_get_finish(result, nil) else { return }
                g_dbus_connection_set_exit_on_close(bus, 0)
                guard let self else { return g_object_unref(gpointer(bus)) }
                self.bus = bus
            }
        }

        // MARK: Network

        private func updateNetwork() {
            let reading = networkManager?.reading ?? readMonitor()
            set {
                $0.network = reading.network
                $0.kind = reading.kind
            }
        }

        /// Returns the report of the monitor of GIO.
        ///
        /// The monitor is created only while NetworkManager is absent, because GIO would call it in the main loop and
        /// wait for it. Without NetworkManager, a missing default route is no evidence: local hosts and proxies may be
        /// reachable. Only the portal of a sandboxed app reports the state of the whole device.
        private func readMonitor() -> NetworkReading {
            let monitor = networkMonitor ?? makeNetworkMonitor()
            guard let monitor else { return NetworkReading() }
            let isPortal = typeName(of: gpointer(monitor)) == "GNetworkMonitorPortal"
            return NetworkReading(
                connectivity: isPortal && g_network_monitor_get_network_available(monitor) == 0 ? 1 : nil,
                metered: g_network_monitor_get_network_metered(monitor) == 0 ? nil : 1)
        }

        private func makeNetworkMonitor() -> OpaquePointer? {
            // It lives as long as the process.
            guard let monitor = g_network_monitor_get_default() else { return nil }
            networkMonitor = monitor
            let notified: @convention(c) (gpointer, gpointer?, gpointer?) -> Void = { _, _, data in
                MainActor.assumeIsolated { target(data, as: GIOConditions.self)?.updateNetwork() }
            }
            let signals = GObjectSignals(of: gpointer(monitor))
            for property in ["network-available", "network-metered"] {
                signals.connect("notify::\(property)", unsafeBitCast(notified, to: GCallback.self), to: self)
            }
            self.signals.append(signals)
            return monitor
        }

        // MARK: Power

        private func observePower() {
            guard let monitor = g_power_profile_monitor_dup_default() else { return }
            let notified: @convention(c) (gpointer, gpointer?, gpointer?) -> Void = { _, _, data in
                MainActor.assumeIsolated { target(data, as: GIOConditions.self)?.updatePower() }
            }
            let signals = GObjectSignals(of: gpointer(monitor))
            g_object_unref(gpointer(monitor))
            signals.connect(
                "notify::power-saver-enabled", unsafeBitCast(notified, to: GCallback.self), to: self)
            self.signals.append(signals)
            powerMonitor = monitor
            updatePower()
        }

        private func updatePower() {
            guard let powerMonitor else { return }
            let isLow = g_power_profile_monitor_get_power_saver_enabled(powerMonitor) != 0
            set { $0.power = isLow ? .low : .plenty }
        }

        // MARK: Memory

        private func observeMemory() {
            guard let monitor = g_memory_monitor_dup_default() else { return }
            let warned: @convention(c) (gpointer, GMemoryMonitorWarningLevel, gpointer?) -> Void = { _, level, data in
                let level = level.rawValue
                MainActor.assumeIsolated { target(data, as: GIOConditions.self)?.receive(memoryWarning: level) }
            }
            let signals = GObjectSignals(of: gpointer(monitor))
            g_object_unref(gpointer(monitor))
            signals.connect("low-memory-warning", unsafeBitCast(warned, to: GCallback.self), to: self)
            self.signals.append(signals)
        }

        /// Records a warning of the system.
        /// - Parameter level: a value of `GMemoryMonitorWarningLevel`: from 50 apps are to free memory; at 255 the
        ///   system begins to terminate apps.
        func receive(memoryWarning level: UInt32) {
            set { $0.memory = level >= G_MEMORY_MONITOR_WARNING_LEVEL_CRITICAL.rawValue ? .critical : .warning }
            recovering?.cancel()
            recovering = Task { [weak self, clock] in
                guard (try? await clock.sleep(for: Self.memoryRecovery)) != nil, !Task.isCancelled else { return }
                self?.set { $0.memory = .normal }
            }
        }
    }

    /// Returns the name of the type of a GObject instance.
    func typeName(of instance: gpointer) -> String {
        let name = g_type_name_from_instance(instance.assumingMemoryBound(to: GTypeInstance.self))
        return name.map { String(cString: $0) } ?? ""
    }
#endif

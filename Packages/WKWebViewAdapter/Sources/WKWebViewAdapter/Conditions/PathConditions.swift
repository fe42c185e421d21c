// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The parts for Darwin are never run on Linux; Scripts/check-darwin type-checks them.

#if canImport(WebKit)
    internal import AsyncSupport
    internal import Dispatch
    internal import Foundation
    internal import Network
    internal import ResourceLoading

    /// The conditions of the device: the network of `NWPathMonitor`, the power mode of `ProcessInfo`, and the memory
    /// pressure of Dispatch. The network is `unknown` until the first path arrives.
    ///
    /// Isolation: any.
    final class PathConditions: HostConditioning {
        /// The sources of the system.
        ///
        /// Unchecked: the references are constants, and all calls on the objects are permitted from any thread.
        private struct Sources: @unchecked Sendable {
            let paths = NWPathMonitor()
            #if canImport(Darwin)
                let memory: any DispatchSourceMemoryPressure
            #endif
        }

        private let current = Mutex(HostConditions(network: .unknown))
        private let broadcast = Broadcast<HostConditions>(capacity: 1)
        private let sources: Sources
        #if canImport(Darwin)
            private let power = Mutex<[NotificationToken]>([])
        #endif

        init() {
            let queue = DispatchQueue(label: "containerkit.conditions")
            #if canImport(Darwin)
                sources = Sources(
                    memory: DispatchSource.makeMemoryPressureSource(
                        eventMask: [.normal, .warning, .critical], queue: queue))
            #else
                sources = Sources()
            #endif
            sources.paths.pathUpdateHandler = { [weak self] in self?.update(PathReading($0)) }
            sources.paths.start(queue: queue)
            #if canImport(Darwin)
                sources.memory.setEventHandler { [weak self] in self?.updateMemory() }
                sources.memory.activate()
                let token = NotificationCenter.default.addObserver(
                    forName: .NSProcessInfoPowerStateDidChange, object: nil, queue: nil
                ) { [weak self] _ in self?.updatePower() }
                power.withLock { $0 = [NotificationToken(object: token)] }
                updatePower()
            #endif
        }

        deinit {
            sources.paths.cancel()
            #if canImport(Darwin)
                sources.memory.cancel()
                for token in power.withLock({ $0 }) { NotificationCenter.default.removeObserver(token.object) }
            #endif
        }

        var conditions: HostConditions { current.withLock { $0 } }

        func changes() -> AsyncStream<HostConditions> { broadcast.subscribe() }

        private func set(_ change: (inout HostConditions) -> Void) {
            // Sent inside the lock, so that the last element of a stream is the newest value.
            current.withLock { conditions in
                let before = conditions
                change(&conditions)
                if conditions != before { broadcast.send(conditions) }
            }
        }

        private func update(_ reading: PathReading) {
            set {
                $0.network = reading.network
                $0.kind = reading.kind
            }
        }

        #if canImport(Darwin)
            private func updatePower() {
                let isLow = ProcessInfo.processInfo.isLowPowerModeEnabled
                set { $0.power = isLow ? .low : .plenty }
            }

            private func updateMemory() {
                let event: DispatchSource.MemoryPressureEvent = sources.memory.data
                let memory: HostConditions.Memory =
                    event.contains(.critical) ? .critical : event.contains(.warning) ? .warning : .normal
                set { $0.memory = memory }
            }
        #endif
    }

    #if canImport(Darwin)
        /// The token of an observer.
        ///
        /// Unchecked: the token is only passed to `removeObserver(_:)`, which is permitted from any thread.
        private struct NotificationToken: @unchecked Sendable {
            let object: any NSObjectProtocol
        }
    #endif
#endif

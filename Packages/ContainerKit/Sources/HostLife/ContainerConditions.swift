// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import ResourceLoading

/// The conditions of the device together with the idleness of a container.
///
/// Isolation: any; all members may be called concurrently.
package final class ContainerConditions: HostConditioning {
    /// The conditions of the device.
    package let device: any HostConditioning
    private let current: CurrentConditions
    private let listening: Task<Void, Never>

    /// Creates conditions of a container that is not idle yet.
    /// - Parameters:
    ///   - device: the conditions of the device.
    ///   - unknownNetwork: the value in place of a network of unknown cost.
    package init(_ device: any HostConditioning, unknownNetwork: HostConditions.Network) {
        // The stream is created before the conditions are first read, so that no change is missed.
        let changes = device.changes()
        let current = CurrentConditions(device.conditions, unknownNetwork: unknownNetwork)
        self.device = device
        self.current = current
        // The task ends with this object or with the stream of the device.
        listening = Task {
            for await conditions in changes { current.update { $0.device = conditions } }
        }
    }

    deinit {
        listening.cancel()
    }

    package var conditions: HostConditions { current.value }

    /// Returns a stream of later changes. It skips outdated conditions, and ends with this object.
    package func changes() -> AsyncStream<HostConditions> { current.changes() }

    /// Sets the idleness of the container.
    package func setIdle(_ isIdle: Bool) { current.update { $0.isIdle = isIdle } }
}

/// The current value of combined conditions and its subscribers.
private final class CurrentConditions: Sendable {
    struct Parts: Hashable {
        var device: HostConditions
        var isIdle = false
    }

    private let unknownNetwork: HostConditions.Network
    private let parts: Mutex<Parts>
    private let broadcast = Broadcast<HostConditions>(capacity: 1)

    init(_ device: HostConditions, unknownNetwork: HostConditions.Network) {
        self.unknownNetwork = unknownNetwork
        parts = Mutex(Parts(device: device))
    }

    var value: HostConditions { parts.withLock { combine($0) } }

    func changes() -> AsyncStream<HostConditions> { broadcast.subscribe() }

    /// Changes a part, and sends the combined conditions if they differ.
    func update(_ change: (inout Parts) -> Void) {
        // Sent inside the lock, so that the last element of a stream is the newest value.
        parts.withLock { parts in
            let before = combine(parts)
            change(&parts)
            let conditions = combine(parts)
            if conditions != before { broadcast.send(conditions) }
        }
    }

    private func combine(_ parts: Parts) -> HostConditions {
        var conditions = parts.device
        conditions.isIdle = conditions.isIdle && parts.isIdle
        if conditions.network == .unknown { conditions.network = unknownNetwork }
        return conditions
    }
}

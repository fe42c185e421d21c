// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What the host knows of the device at this moment, and work in the background depends on.
///
/// Isolation: any; answers at once. Everything has a default that says yes.
public protocol HostConditions: Sendable {
    /// Whether the user is not waiting for anything.
    var isIdle: Bool { get }
    var network: NetworkKind { get }
    /// Whether the device should save its battery.
    var isLowOnPower: Bool { get }
    var memoryPressure: MemoryPressure { get }
}

/// What a byte over the network costs the user.
public enum NetworkKind: Sendable, Hashable, CaseIterable {
    /// No network at all.
    case none
    /// Mobile data, or a hotspot.
    case metered
    /// Wi-Fi or a cable.
    case unmetered
}

/// How short the system is of memory.
public enum MemoryPressure: Sendable, Hashable, CaseIterable {
    case normal
    case warning
    case critical
}

extension HostConditions {
    public var isIdle: Bool { true }
    public var network: NetworkKind { .unmetered }
    public var isLowOnPower: Bool { false }
    public var memoryPressure: MemoryPressure { .normal }
}

/// Conditions that always say yes.
public struct UnconditionalHost: HostConditions {
    public init() {}
}

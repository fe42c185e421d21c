// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The state of the device that decides whether background work may run.
///
/// Background work, such as the download of a package, runs when the app is idle and the network is known to be
/// unmetered. Requests that a page waits for ignore these conditions.
public struct HostConditions: Sendable, Hashable {
    /// The cost of network traffic for the user.
    public enum Network: String, Sendable, Hashable, CaseIterable {
        /// No network.
        case none
        /// Wi-Fi or a cable: traffic is free.
        case unmetered
        /// A mobile network, or Wi-Fi that shares a mobile network: traffic may cost money.
        case metered
        /// A network of unknown cost. It is not regarded as unmetered.
        case unknown
    }

    /// The kind of the network that carries most requests.
    public enum NetworkKind: String, Sendable, Hashable, CaseIterable {
        /// A cable.
        case wired
        /// Wi-Fi.
        case wifi
        /// A mobile network.
        case cellular
        /// A network of another kind, for example a VPN.
        case other
        /// No network, or a system that does not report the kind.
        case unknown
    }

    /// The energy supply of the device.
    public enum Power: String, Sendable, Hashable, CaseIterable {
        /// External power, or a well charged battery.
        case plenty
        /// A battery in low-power mode, or a battery that is nearly empty.
        case low
    }

    /// The memory pressure of the system.
    public enum Memory: String, Sendable, Hashable, CaseIterable {
        case normal
        /// The system asks apps to free memory.
        case warning
        /// The system terminates apps.
        case critical
    }

    /// A Boolean value that indicates whether the app is idle: no page is loading and the user does not wait for
    /// anything.
    public var isIdle: Bool
    /// The cost of the device's network.
    public var network: Network
    /// The kind of the device's network, for information: no decision of the container depends on it.
    public var kind: NetworkKind
    /// The power supply of the device.
    public var power: Power
    /// The memory of the device.
    public var memory: Memory

    /// Creates conditions; favourable ones by default.
    public init(
        isIdle: Bool = true, network: Network = .unmetered, kind: NetworkKind = .unknown, power: Power = .plenty,
        memory: Memory = .normal
    ) {
        self.isIdle = isIdle
        self.network = network
        self.kind = kind
        self.power = power
        self.memory = memory
    }

    /// Conditions that allow background work: idle, unmetered network, enough power and memory.
    public static let favourable = HostConditions()

    /// A Boolean value that indicates whether background transfers may run. All conditions must be favourable.
    public var allowsBackgroundTransfers: Bool {
        isIdle && network == .unmetered && power == .plenty && memory == .normal
    }
}

/// A reason for the absence of the app. The app is present again when no reason is left.
public enum HostAbsence: Sendable {
    /// The app is in the background.
    case background
    /// The system has suspended the app, or is about to.
    case suspension
}

/// A source of the device's conditions. Engine adapters implement it for their systems, and a host can implement it.
///
/// Isolation: any; all members may be called concurrently.
public protocol HostConditioning: Sendable {
    /// The current conditions. This property is read before each transfer, so it must be cheap.
    var conditions: HostConditions { get }

    /// Returns a stream of later changes. It may skip outdated conditions, and ends with the host.
    func changes() -> AsyncStream<HostConditions>
}

/// Host conditions that always allow background work.
public struct FavourableConditions: HostConditioning {
    /// Creates the conditions.
    public init() {}

    public var conditions: HostConditions { .favourable }

    /// Returns an empty stream, because the conditions never change.
    public func changes() -> AsyncStream<HostConditions> {
        AsyncStream { $0.finish() }
    }
}

extension HostConditioning where Self == FavourableConditions {
    /// Host conditions that always allow background work.
    public static var favourable: Self { FavourableConditions() }
}

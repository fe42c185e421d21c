// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What the host knows of the device: whether it is a good time for work that nobody waits for.
///
/// Work in the background, such as downloads of a table's or a package's files, runs when the app is idle and the
/// network costs nothing. What a page waits for is never held up by these.
public struct HostConditions: Sendable, Hashable {
    /// What a byte over the network costs the user.
    public enum Network: String, Sendable, Hashable, CaseIterable {
        /// No network at all.
        case none
        /// Wi-Fi or a cable: bytes cost nothing.
        case unmetered
        /// Bytes may cost: a mobile network, or a Wi-Fi that stands for one.
        case metered
    }

    /// Where the energy comes from.
    public enum Power: String, Sendable, Hashable, CaseIterable {
        /// Plugged in, or a battery that is well filled.
        case plenty
        /// A battery in low-power mode, or one that is nearly empty.
        case low
    }

    /// How short the system is of memory.
    public enum Memory: String, Sendable, Hashable, CaseIterable {
        case normal
        /// The system asks for memory back.
        case warning
        /// The system ends apps.
        case critical
    }

    /// Whether the app is idle: no page loads, no user waits.
    public var isIdle: Bool
    public var network: Network
    public var power: Power
    public var memory: Memory

    public init(
        isIdle: Bool = true, network: Network = .unmetered, power: Power = .plenty, memory: Memory = .normal
    ) {
        self.isIdle = isIdle
        self.network = network
        self.power = power
        self.memory = memory
    }

    /// Idle, on Wi-Fi, with power and memory.
    public static let favourable = HostConditions()

    /// Whether work that nobody waits for may run: idle, on Wi-Fi, without memory pressure and not short of power.
    public var allowsBackgroundTransfers: Bool {
        self == .favourable
    }
}

/// A reason for which the app is not there, as its host tells it. The app is back when no reason is left.
public enum HostAbsence: Sendable {
    /// The app is in the background.
    case background
    /// The system has suspended the app, or is about to.
    case suspension
}

/// Tells the conditions of the device. The host implements it; ``FavourableConditions`` is the default.
///
/// Isolation: any; all of it may be called concurrently.
public protocol HostConditioning: Sendable {
    /// The conditions now. Cheap: it is asked before each transfer.
    var conditions: HostConditions { get }

    /// The conditions as they change, from now on. May leave out what was overtaken; ends with the host.
    func changes() -> AsyncStream<HostConditions>
}

/// Conditions that always say yes.
public struct FavourableConditions: HostConditioning {
    public init() {}

    public var conditions: HostConditions { .favourable }

    /// Never has one.
    public func changes() -> AsyncStream<HostConditions> {
        AsyncStream { $0.finish() }
    }
}

extension HostConditioning where Self == FavourableConditions {
    /// Conditions that always say yes.
    public static var favourable: Self { FavourableConditions() }
}

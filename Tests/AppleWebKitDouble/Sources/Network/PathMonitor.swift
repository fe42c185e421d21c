// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Dispatch

// network/nwinterface, with the types of interfaces only
public struct NWInterface: Sendable, Hashable {
    // network/nwinterface/interfacetype
    public enum InterfaceType: Sendable, Hashable {
        case other, wifi, cellular, wiredEthernet, loopback
    }
}

// network/nwpath
public struct NWPath: Sendable, Hashable {
    // network/nwpath/status-swift.enum
    public enum Status: Sendable, Hashable {
        case satisfied, unsatisfied, requiresConnection
    }

    // network/nwpath/status-swift.property
    public let status: Status
    // network/nwpath/isexpensive
    public let isExpensive: Bool
    // network/nwpath/isconstrained
    public let isConstrained: Bool
    private let types: Set<NWInterface.InterfaceType>

    // network/nwpath/usesinterfacetype(_:)
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool { types.contains(type) }

    @_spi(Driver) public init(
        _ status: Status, isExpensive: Bool = false, isConstrained: Bool = false,
        types: Set<NWInterface.InterfaceType> = []
    ) {
        (self.status, self.isExpensive, self.isConstrained) = (status, isExpensive, isConstrained)
        self.types = types
    }
}

// network/nwpathmonitor
//
// The double calls no handler until a test sets a path. Then it calls the handlers of all monitors that have started
// and are not cancelled, on their queues.
//
// Unchecked: the properties are set before the monitor starts.
public final class NWPathMonitor: @unchecked Sendable {
    private static let started = PathMonitors()
    private var queue: DispatchQueue?

    // network/nwpathmonitor/init()
    public init() {}
    // network/nwpathmonitor/pathupdatehandler
    public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)?
    // network/nwpathmonitor/start(queue:)
    public func start(queue: DispatchQueue) {
        self.queue = queue
        Self.started.insert(self)
    }
    // network/nwpathmonitor/cancel()
    public func cancel() { Self.started.remove(self) }

    /// Sets the path of the system. Returns when all handlers have returned.
    @_spi(Driver) public static func set(_ path: NWPath) {
        for monitor in started.all { monitor.queue?.sync { monitor.pathUpdateHandler?(path) } }
    }
}

/// The monitors that have started. It does not retain them.
///
/// Unchecked: the queue protects the array.
private final class PathMonitors: @unchecked Sendable {
    private struct Reference { weak var monitor: NWPathMonitor? }
    private let queue = DispatchQueue(label: "monitors")
    private var references: [Reference] = []

    var all: [NWPathMonitor] { queue.sync { references.compactMap(\.monitor) } }

    func insert(_ monitor: NWPathMonitor) { queue.sync { references.append(Reference(monitor: monitor)) } }

    func remove(_ monitor: NWPathMonitor) {
        queue.sync { references.removeAll { $0.monitor == nil || $0.monitor === monitor } }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Network
    internal import ResourceLoading

    /// The state of the network in a path of Apple's Network framework.
    struct PathReading: Sendable, Hashable {
        var status: NWPath.Status
        /// A Boolean value that indicates whether the path uses a mobile network or a personal hotspot.
        var isExpensive = false
        /// A Boolean value that indicates whether the path is in Low Data Mode.
        var isConstrained = false
        /// The first type of interface that the path uses; `nil` if it uses no known type.
        var type: NWInterface.InterfaceType?

        init(
            status: NWPath.Status, isExpensive: Bool = false, isConstrained: Bool = false,
            type: NWInterface.InterfaceType? = nil
        ) {
            self.status = status
            self.isExpensive = isExpensive
            self.isConstrained = isConstrained
            self.type = type
        }

        init(_ path: NWPath) {
            let types: [NWInterface.InterfaceType] = [.wiredEthernet, .wifi, .cellular, .other]
            self.init(
                status: path.status, isExpensive: path.isExpensive, isConstrained: path.isConstrained,
                type: types.first { path.usesInterfaceType($0) })
        }

        var network: HostConditions.Network {
            switch status {
            case .satisfied: isExpensive || isConstrained ? .metered : .unmetered
            case .unsatisfied: .none
            // A connection may activate a path, whose cost is not known yet.
            case .requiresConnection: .unknown
            @unknown default: .unknown
            }
        }

        var kind: HostConditions.NetworkKind {
            guard status == .satisfied else { return .unknown }
            return switch type {
            case .wiredEthernet: .wired
            case .wifi: .wifi
            case .cellular: .cellular
            case nil: .unknown
            default: .other
            }
        }
    }
#endif

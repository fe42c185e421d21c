// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

#if os(Linux)
    /// The state of the network as NetworkManager describes it (D-Bus interface `org.freedesktop.NetworkManager`).
    struct NetworkReading: Sendable, Hashable {
        /// The value of `Connectivity` (`NMConnectivityState`): 1 none, 2 portal, 3 limited, 4 full; `nil` if unknown.
        var connectivity: UInt32?
        /// The value of `Metered` (`NMMetered`): 1 yes, 2 no, 3 and 4 the same as a guess; `nil` if unknown.
        var metered: UInt32?
        /// The value of `PrimaryConnectionType`, the type of the connection with the default route; `nil` if unknown.
        var primaryType: String?

        var network: HostConditions.Network {
            switch (connectivity, metered) {
            case (1, _): .none
            case (_, 1), (_, 3): .metered
            // A login page, or no access to the internet: the network in use may change soon.
            case (2, _), (3, _): .unknown
            case (_, 2), (_, 4): .unmetered
            default: .unknown
            }
        }

        var kind: HostConditions.NetworkKind {
            switch primaryType {
            case nil, "": .unknown
            case "802-3-ethernet": .wired
            case "802-11-wireless": .wifi
            case "gsm", "cdma": .cellular
            default: .other
            }
        }
    }
#endif

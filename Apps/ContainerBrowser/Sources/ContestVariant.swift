// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The engine, network and package combinations in which the contest opens a site.
enum ContestVariant: String, CaseIterable, Sendable {
    case bareLoopback
    case bareSlow
    case unpacked
    case packed
    case packedOffline

    func title(network: String) -> String {
        switch self {
        case .bareLoopback: "plain engine, unshaped loopback"
        case .bareSlow: "plain engine, \(network)"
        case .unpacked: "container without a package, \(network)"
        case .packed: "container with the package, \(network)"
        case .packedOffline: "container with the package, network cut"
        }
    }
}

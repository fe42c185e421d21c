// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) internal import ContainerKit

/// An interception mode by its name on the command line.
enum CheckedMode: String {
    /// The engine without a container.
    case plain
    case scheme
    case document
    case proxy
    /// The proxy with forced bridges.
    case forced
    case server

    /// The names for an error message.
    static let names = "plain, scheme, document, proxy, forced or server"

    /// A Boolean value that indicates whether the engine itself connects to the covered host.
    var connectsByEngine: Bool { self == .plain || self == .document }

    /// Returns the configuration with this mode.
    func configuration(_ base: ContainerConfiguration) -> ContainerConfiguration {
        var configuration = base
        configuration.pages.mode =
            switch self {
            case .plain: .plain
            case .scheme: .customScheme
            case .document: .document
            case .proxy, .forced: .loopbackProxy
            case .server: .loopbackServer
            }
        if self == .forced { configuration.pages.forcedBridges = [.body, .cookie] }
        return configuration
    }
}

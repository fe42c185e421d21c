// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) internal import ContainerKit

/// An interception mode by its name on the command line.
enum CheckedMode: String {
    /// The engine without a container.
    case plain
    case scheme
    case proxy
    /// The proxy with forced bridges.
    case forced

    /// Returns the configuration with this mode.
    func configuration(_ base: ContainerConfiguration) -> ContainerConfiguration {
        var configuration = base
        configuration.pages.mode = self == .scheme ? .customScheme : .loopbackProxy
        if self == .forced { configuration.pages.forcedBridges = [.body, .cookie] }
        return configuration
    }
}

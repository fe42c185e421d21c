// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) internal import ContainerKit

/// A way to open a page, by its name on the command line.
enum CheckedMode: String {
    /// The engine without the container.
    case plain
    case scheme
    case proxy
    /// By the proxy, with the bridges that pages do not need there.
    case forced

    /// Has a container open pages so.
    func configuration(_ base: ContainerConfiguration) -> ContainerConfiguration {
        var configuration = base
        configuration.pages.mode = self == .scheme ? .customScheme : .loopbackProxy
        if self == .forced { configuration.pages.forcedBridges = [.body, .cookie] }
        return configuration
    }
}

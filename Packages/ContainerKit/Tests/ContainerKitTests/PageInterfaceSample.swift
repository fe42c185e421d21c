// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit

/// Returns a configuration whose covered pages have `window.containerkit`.
func interfaceConfiguration(in directory: String) -> ContainerConfiguration {
    var configuration = ContainerConfiguration(directory: directory)
    configuration.pages.interface = PageInterfaceOptions()
    return configuration
}

/// Returns the reasons of the pages that report a failure, until the container ends.
func failures(in events: AsyncStream<ContainerEvent>) async -> [String] {
    var reasons: [String] = []
    for await case .pageInterface(_, .failed(let reason)) in events { reasons.append(reason) }
    return reasons
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What the connections of a local server have in common.
struct LocalSiteDependencies: Sendable {
    let exchange: ExchangeDependencies
    let sites: LocalSites
    let token: AccessToken
}

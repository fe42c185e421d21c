// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit

/// Opens a container that installs and updates the packages of the shop's catalogue.
@MainActor
func openShop<Engine: WebEngineDriver>(_ engine: Engine, in directory: String) async throws -> Container<Engine> {
    var configuration = ContainerConfiguration(directory: directory)
    configuration.packages.automatic.policy = [.onLaunch, .onForeground, .periodic(.seconds(3_600))]
    configuration.packages.automatic.catalogue = CatalogueDocument(
        "https://packages.shop.example/catalogue.json", mirrorURL: "https://mirror.shop.example/catalogue.json")
    configuration.packages.automatic.scopes = [try PackageBaseURL("https://www.shop.example/")]
    return try await Container(engine: engine, configuration: configuration)
}

/// Returns the text that the app shows about an event of its updates, or `nil` if it shows none.
func updateStatus(_ event: ContainerEvent) -> String? {
    switch event {
    case .package(.updating(let finished, let failed, let total)): "\(finished + failed) of \(total)"
    case .package(.waiting(let source, let reason)): "\(source.manifestURL) waits: \(reason)"
    case .package(.withdrawn(let package)): "\(package) was withdrawn"
    case .package(.catalogueFailed(let failure)): "\(failure)"
    default: nil
    }
}

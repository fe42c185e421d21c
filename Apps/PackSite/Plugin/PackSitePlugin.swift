// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import PackagePlugin

/// The command `swift package pack-site`, which runs the program `pack-site` in the folder of the package.
@main
struct PackSitePlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let process = Process()
        process.executableURL = try context.tool(named: "pack-site").url
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure(description: "pack-site failed")
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}

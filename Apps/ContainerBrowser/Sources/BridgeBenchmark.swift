// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ContainerKit
@_spi(Testing) internal import RequestPipeline
internal import WebEngine

/// The value of `--bridge`: `body`, `cookie`, or both separated by a comma.
struct BridgeBenchmark: ExpressibleByArgument {
    private let bridges: ForcedBridges

    init?(argument: String) {
        var bridges: ForcedBridges = []
        for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
            switch name {
            case "body": bridges.insert(.body)
            case "cookie": bridges.insert(.cookie)
            default: return nil
            }
        }
        self.bridges = bridges
    }

    static var allValueStrings: [String] { ["body", "cookie", "body,cookie"] }

    /// Returns the bridges to force in a mode. The result is empty in custom-scheme mode, because pages in this mode
    /// always have all bridges.
    /// - Throws: A usage error if pages have no bridges in the mode.
    func bridges(in mode: InterceptionMode) throws -> ForcedBridges {
        switch mode {
        case .customScheme: return []
        case .loopbackProxy, .loopbackServer: return bridges
        case .plain, .document, .httpsTakeover:
            throw CommandError(
                .usage, code: "usage", "bridges need a container: add --mode proxy",
                at: "--mode plain")
        }
    }
}

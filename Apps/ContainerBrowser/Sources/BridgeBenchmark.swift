// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ContainerKit
@_spi(Testing) internal import RequestPipeline
internal import WebEngine

/// What `--bridge` names: `body`, `cookie`, or both with a comma between them.
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

    /// What has to be forced in a mode: nothing by the scheme, where all of them are on.
    /// - Throws: a usage error where pages of that mode have no bridges.
    func bridges(in mode: InterceptionMode) throws -> ForcedBridges {
        switch mode {
        case .customScheme: return []
        case .loopbackProxy, .loopbackServer: return bridges
        case .plain:
            throw CommandError(
                .usage, code: "usage", "pages have no bridges without a container: add --mode proxy",
                at: "--mode plain")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContainerKit

/// The options that a person gives the example app at its launch, for example in the scheme of Xcode.
public struct LaunchOptions: Sendable, Hashable {
    /// The mode of pages that are not below ``ManualCheck/scheme``; `document` by default.
    public var mode = InterceptionMode.document

    /// Creates the options of a launch without arguments.
    public init() {}

    /// Reads the options of launch arguments: `--mode` with the raw value of a mode. Other arguments are ignored,
    /// because Xcode adds some.
    /// - Throws: ``LaunchError`` if the mode is missing or unknown.
    public init(arguments: [String]) throws(LaunchError) {
        guard let index = arguments.firstIndex(of: "--mode") else { return }
        let name = arguments.indices.contains(index + 1) ? arguments[index + 1] : ""
        guard let mode = InterceptionMode(rawValue: name) else { throw LaunchError(mode: name) }
        self.mode = mode
    }

    /// The name of the container's folder. Each mode has its own, because some modes change the origins of pages.
    public var folder: String { "h5-\(mode.rawValue)" }

    /// The modes of pages that differ from ``mode``. The two modes that cannot be combined have none.
    var pageModes: [PageMode] {
        get throws {
            switch mode {
            case .httpsTakeover, .loopbackServer: []
            default: [try PageMode(String(ManualCheck.scheme.dropLast()), .customScheme)]
            }
        }
    }
}

/// An unknown mode in the launch arguments.
public struct LaunchError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the mode; empty if it is missing.
    public let mode: String

    /// The reason, in one line.
    public var description: String {
        let modes = InterceptionMode.allCases.map(\.rawValue).joined(separator: ", ")
        return "unknown mode '\(mode.prefix(100).filter { !$0.isNewline })': use --mode with one of \(modes)"
    }
}

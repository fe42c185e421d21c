// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import WebKitGTKAdapter

@main
struct ContainerBrowser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "container-browser",
        abstract: "Opens pages in a real engine, with and without the container, and measures them.",
        discussion: CommonHelp.contract + " Needs a display: without one, run it under xvfb-run -a.",
        version: ProgramVersion.current,
        subcommands: [Open.self, Run.self, Bench.self])

    /// The main thread belongs to GLib's loop, where the engine lives.
    static func main() {
        // Sandboxed web processes would report the accessibility bus as missing, each of them, on a system without one.
        // Pages are drawn off screen, so that no screen reader needs the bus.
        setenv("WEBKIT_A11Y_BUS_ADDRESS", "", 0)
        GLibMainLoop.run { await CommandRunner.run(ContainerBrowser.self) { CommandError(library: $0) } }
    }
}

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
        discussion: CommonHelp.contract + " The program needs a display; without one, run it with xvfb-run -a.",
        version: ProgramVersion.current,
        subcommands: [Open.self, Run.self, Bench.self])

    /// Runs the command on GLib's main loop, because the engine requires the main thread.
    static func main() {
        // On a system without an accessibility bus, each sandboxed web process would log that the bus is missing.
        // Pages are drawn off screen, so no screen reader needs the bus.
        setenv("WEBKIT_A11Y_BUS_ADDRESS", "", 0)
        GLibMainLoop.run { await CommandRunner.run(ContainerBrowser.self) { CommandError(library: $0) } }
    }
}

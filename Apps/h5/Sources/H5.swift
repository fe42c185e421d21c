// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation

@main
struct H5: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "h5", subcommands: [Serve.self])

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as CommandError {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            Foundation.exit(error.status.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}

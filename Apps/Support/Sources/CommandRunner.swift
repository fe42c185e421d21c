// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ArgumentParser
internal import Foundation

/// Runs a program: parses the command line, runs the command and ends the process.
///
/// Every failure is one line on standard error, `error: <code>: <what> (<where>)`, and an ``ExitStatus``. SIGINT and
/// SIGTERM cancel the command's task. The process ends with the signal after the command has cleaned up. A command
/// that returns without an error after the signal, such as a server, exits with 0.
public enum CommandRunner {
    /// Runs the program and ends the process.
    /// - Parameters:
    ///   - program: The root command.
    ///   - arguments: The arguments without the program's name, or `nil` for the arguments of the process.
    ///   - translate: A closure that converts errors of libraries, or returns `nil` for an unknown error.
    public static func run(
        _ program: (some AsyncParsableCommand & SendableMetatype).Type, arguments: [String]? = nil,
        translate: @escaping @Sendable (any Error) -> CommandError? = { _ in nil }
    ) async -> Never {
        // The command runs in a separate task, because a signal cancels that task.
        let task = Task { try await parseAndRun(program, arguments) }
        let signals = SignalWatch { task.cancel() }
        do {
            try await task.value
            exit(0)
        } catch {
            if let number = signals.received {
                CommandOutput.log("error: interrupted: stopped by a signal (\(number))")
                SignalWatch.die(of: number)
            }
            let known = error as? CommandError ?? translate(error)
            // Other errors come from the argument parser or are unexpected.
            let failure = known ?? describe(error, of: program)
            if let failure {
                CommandOutput.log(failure.description)
                exit(failure.status.rawValue)
            }
            // The parser reports help and version as errors.
            do {
                try CommandOutput.result(lines: program.fullMessage(for: error).components(separatedBy: "\n"))
                exit(0)
            } catch {
                CommandOutput.log("\(error)")
                exit(ExitStatus.io.rawValue)
            }
        }
    }

    private static func parseAndRun<Program: AsyncParsableCommand>(
        _ program: Program.Type, _ arguments: [String]?
    ) async throws {
        try checkCommand(
            arguments ?? Array(CommandLine.arguments.dropFirst()), of: program, named: program._commandName)
        var command = try await program.asyncParseAsRoot(arguments)
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }

    /// Checks the command names, because the parser reports an unknown command as an extra argument.
    private static func checkCommand(
        _ arguments: [String], of program: any ParsableCommand.Type, named path: String
    ) throws {
        let commands = program.configuration.subcommands
        guard let word = arguments.first, !word.hasPrefix("-"), word != "help", !commands.isEmpty,
            program.configuration.defaultSubcommand == nil
        else { return }
        let position = commands.firstIndex { $0._commandName == word || $0.configuration.aliases.contains(word) }
        guard let position else {
            let known = commands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
            throw CommandError(
                .usage, code: "usage", "no command '\(word)': there are \(known.joined(separator: ", "))",
                at: "see \(path) --help")
        }
        try checkCommand(Array(arguments.dropFirst()), of: commands[position], named: "\(path) \(word)")
    }

    /// Returns the error of the argument parser.
    /// - Returns: `nil` for a request for help or version.
    private static func describe(_ error: any Error, of program: any AsyncParsableCommand.Type) -> CommandError? {
        switch program.exitCode(for: error) {
        case .success: nil
        case .validationFailure:
            CommandError(
                .usage, code: "usage", program.message(for: error), at: "see \(help(after: error, of: program))")
        default: CommandError(.internalError, code: "internal", String(describing: error))
        }
    }

    /// Returns the command line that shows the help of the failed command. The parser's full message ends with
    /// `See '…' for more information.`
    private static func help(after error: any Error, of program: any AsyncParsableCommand.Type) -> String {
        let parts = program.fullMessage(for: error).components(separatedBy: "See '").last?.components(separatedBy: "'")
        guard let command = parts?.first, command.hasSuffix(" --help") else {
            return "\(program._commandName) --help"
        }
        return command
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ContainerKit
internal import Foundation
internal import WebKitGTKAdapter

/// `container-browser run`: opens pages one after the other and prints what a script finds in each.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Opens pages, waits until an expression is true, and prints another as one JSON line a page.")

    @Argument(help: "The page's URL.")
    var url: String?

    @Option(help: ArgumentHelp("A file with one URL a line, instead.", valueName: "file"))
    var urls: String?

    @OptionGroup var stage: StageArguments

    @Option(help: ArgumentHelp("A script that runs at document start in each page.", valueName: "file"))
    var userScript: String?

    @Option(help: ArgumentHelp("Wait until this is true; the load event where it is not given.", valueName: "js"))
    var until: String?

    @Option(name: .customLong("print"), help: ArgumentHelp("The expression to print.", valueName: "js"))
    var printed: String

    @Option(help: ArgumentHelp("Give up on a page after this time.", valueName: "seconds"))
    var timeout = 30.0

    @Option(help: ArgumentHelp("Write the lines there instead of to standard output.", valueName: "file"))
    var out: String?

    func validate() throws {
        guard (url == nil) != (urls == nil) else { throw ValidationError("give one URL or --urls FILE") }
        guard timeout > 0 else { throw ValidationError("--timeout must be more than 0") }
    }

    @MainActor
    func run() async throws {
        let pages = try pageList()
        let script = try userScript.map { UserScript(try FileInput.text(of: $0), at: .documentStart) }
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let options = try stage.options(covering: pages, directory: directory.path, warm: false)
        let output = try LineOutput(path: out)
        try await Stage.with(options) { stage in
            for page in pages {
                try output.write(await line(for: page, script: script, on: stage))
            }
        }
        try output.finish()
    }

    private func pageList() throws -> [String] {
        if let url { return [url] }
        return try FileInput.text(of: urls ?? "").split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    @MainActor
    private func line(for page: String, script: UserScript?, on stage: Stage) async -> PageLine {
        let began = ContinuousClock.now
        var line = PageLine(url: page)
        do {
            let opened = try await stage.open(page) { view in script.map { view.add($0) } }
            do {
                line.value = try await value(in: opened)
            } catch let error as EngineError where error.code == .timedOut {
                line.timedOut = true
                line.value = try? await withLimit(.seconds(5)) {
                    try await opened.view.evaluate("return (\(printed))", in: .page)
                }
            } catch {
                line.error = String(describing: error)
            }
            await stage.close(opened)
        } catch {
            line.error = String(describing: error)
        }
        line.ms = began.duration(to: .now).milliseconds
        return line
    }

    @MainActor
    private func value(in opened: OpenedPage) async throws -> String {
        try await withLimit(.seconds(timeout), "the page does not come that far") {
            if let until {
                while try await !isTrue(until, in: opened) {
                    try await Task.sleep(for: .milliseconds(20))
                }
            } else {
                try await opened.load.finished(within: .seconds(timeout))
            }
            return try await opened.view.evaluate("return (\(printed))", in: .page)
        }
    }

    /// An expression that throws is not true yet: the page may still be on its way.
    @MainActor
    private func isTrue(_ expression: String, in opened: OpenedPage) async throws -> Bool {
        if case .failed(let error) = opened.load.state { throw error }
        guard case .waiting = opened.load.state else {
            return (try? await opened.view.evaluate("return !!(\(expression))", in: .page)) == "true"
        }
        return false
    }
}

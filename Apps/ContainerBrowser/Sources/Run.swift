// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
@_spi(Testing) internal import ContainerKit
internal import Foundation
internal import WebEngine
internal import WebKitGTKAdapter

/// The command `container-browser run`, which opens pages one after the other and prints the value of an expression.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Opens pages, waits until an expression is true and prints another as one JSON line per page.",
        discussion: """
            A line is {"url", "ms", "timedOut", "value"}. The line of a page that failed or timed out also has an \
            "error", and the next page follows. Exit status: 0 if every page returned its value; otherwise the status \
            of the failures, or 69 if they differ, and an error line with their number.
            """)

    @Argument(help: "The page's URL.")
    var url: String?

    @Option(help: ArgumentHelp("A file with one URL per line.", valueName: "file"))
    var urls: String?

    @OptionGroup var stage: StageArguments

    @Option(
        help: ArgumentHelp(
            "Force bridges in a mode that does not need them: body, cookie, or body,cookie.",
            discussion: """
                For --mode proxy and --mode server, to test whether pages can detect the bridges. --mode scheme always \
                has both; --mode plain has no container.
                """, valueName: "parts"))
    var bridge: BridgeBenchmark?

    @Option(help: ArgumentHelp("A script that runs at document start in each page.", valueName: "file"))
    var userScript: String?

    @Option(help: ArgumentHelp("Wait until this expression is true. Default: the load event.", valueName: "js"))
    var until: String?

    @Option(name: .customLong("print"), help: ArgumentHelp("The expression to print.", valueName: "js"))
    var printed: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time limit for a page. Default: 30.", valueName: "seconds"),
        transform: NumberOption.seconds("a time limit"))
    var timeout = 30.0

    @Option(help: ArgumentHelp("Write the lines to this file instead of standard output.", valueName: "file"))
    var out: String?

    func validate() throws {
        guard (url == nil) != (urls == nil) else { throw ValidationError("specify one URL or --urls FILE") }
    }

    @MainActor
    func run() async throws {
        let pages = try pageList()
        let source = try userScript.map { try FileInput.text(of: $0) }
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        var options = try stage.options(covering: pages, directory: directory.path, warm: false)
        options.bridges = try bridge?.bridges(in: stage.mode) ?? []
        if let out { try FileOutput.check(file: out, of: "--out") }
        var failures: [CommandError] = []
        try await Stage.with(options) { stage in
            try await checkScripts(source, on: stage)
            let output = try LineOutput(path: out)
            let script = source.map { UserScript($0, at: .documentStart) }
            for page in pages {
                let (line, failure) = await line(for: page, script: script, on: stage)
                try output.write(line)
                if let failure { failures.append(failure) }
            }
            try output.finish()
        }
        if let failure = Self.failure(of: failures, among: pages.count) { throw failure }
    }

    @MainActor
    private func checkScripts(_ userScript: String?, on stage: Stage) async throws {
        try await ScriptCheck.with(stage.engine) { check in
            if let until { try await check.expression(until, of: "--until") }
            try await check.expression(printed, of: "--print")
            if let userScript, let path = self.userScript { try await check.script(userScript, of: path) }
        }
    }

    /// Returns the error of the command: for a single page, the error of the page; otherwise the number of failures and
    /// the first failure.
    private static func failure(of failures: [CommandError], among pages: Int) -> CommandError? {
        guard let first = failures.first, pages > 1 else { return failures.first }
        let status = failures.allSatisfy { $0.status == first.status } ? first.status : .unavailable
        return CommandError(
            status, code: "pages-failed", "\(failures.count) of \(pages) pages failed, the first with \(first.code)",
            at: first.location)
    }

    private func pageList() throws -> [String] {
        if let url { return [url] }
        return try FileInput.text(of: urls ?? "").split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    @MainActor
    private func line(for page: String, script: UserScript?, on stage: Stage) async -> (PageLine, CommandError?) {
        let began = ContinuousClock.now
        var line = PageLine(url: page)
        var failure: CommandError?
        do {
            try await stage.warmUp()
            let opened = try await stage.open(page) { view in script.map { view.add($0) } }
            do {
                line.value = try await value(in: opened)
            } catch {
                failure = Self.failure(
                    await stage.failure(of: page, because: error, in: opened, limit: .seconds(timeout)), page)
                if case .timedOut? = (error as? EngineError)?.code {
                    line.timedOut = true
                    // The current value may explain the time-out.
                    line.value = try? await withLimit(.seconds(5)) {
                        try await opened.view.evaluate(ScriptExpression.value(of: printed), in: .page)
                    }
                }
            }
            await stage.close(opened)
        } catch {
            failure = Self.failure(
                await stage.failure(of: page, because: error, in: nil, limit: .seconds(timeout)), page)
        }
        line.error = failure.map { "\($0.code): \($0.what)" }
        line.ms = began.duration(to: .now).milliseconds
        return (line, failure)
    }

    private static func failure(_ error: any Error, _ page: String) -> CommandError {
        error as? CommandError ?? CommandError(library: error)
            ?? CommandError(.internalError, code: "internal", String(describing: error), at: page)
    }

    @MainActor
    private func value(in opened: OpenedPage) async throws -> String {
        try await withLimit(.seconds(timeout), "the page did not become ready") {
            if let until {
                while try await !isTrue(until, in: opened) {
                    try await Task.sleep(for: .milliseconds(20))
                }
            } else {
                try await opened.finished(within: .seconds(timeout))
                // The engine may report the load before the page receives its load event.
                _ = try? await opened.view.evaluate(Self.loadEvent, in: .isolated(name: "container-browser"))
            }
            return try await opened.view.evaluate(ScriptExpression.value(of: printed), in: .page)
        }
    }

    /// A script that ends after the page's load listeners have run.
    private static let loadEvent = """
        if (document.readyState !== 'complete') await new Promise(done => addEventListener('load', done));
        else if (!performance.getEntriesByType('navigation')[0]?.loadEventEnd)
            await new Promise(done => setTimeout(done));
        """

    /// Evaluates the expression. An exception counts as false, because the page may still be loading.
    @MainActor
    private func isTrue(_ expression: String, in opened: OpenedPage) async throws -> Bool {
        try opened.checkArrival()
        // Before the first commit, the view shows a blank page or the previous page. The expression could be true
        // there.
        if case .waiting = opened.load.state { return false }
        guard opened.hasDocument else { return false }
        return (try? await opened.view.evaluate(ScriptExpression.booleanBody(of: expression), in: .page)) == "true"
    }
}

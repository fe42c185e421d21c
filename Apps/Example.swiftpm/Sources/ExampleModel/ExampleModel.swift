// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContainerKit
public import ContainerViews
public import Foundation
public import Observation

/// The state of the example app: one container, one page, the log and the checks.
///
/// Isolation: the main actor.
@MainActor
@Observable
public final class ExampleModel<Engine: WebEngineDriver> {
    /// The container of the app.
    @ObservationIgnored public let container: Container<Engine>
    /// The controller of the page.
    public let pages: PageController<Engine>
    /// The log of events.
    public let log = EventLog()
    /// The results of the checks.
    public let board = CheckBoard()
    /// The decisions about requests of pages. The container does not retain it.
    public let delegate: ExampleDelegate
    @ObservationIgnored private let engine: Engine
    @ObservationIgnored private var listener: Task<Void, Never>?

    /// Opens the container and installs the packages of the app.
    /// - Parameters:
    ///   - engine: the engine.
    ///   - directory: the directory of the container, such as a folder in Application Support. Files of pages are saved
    ///     beside it, in `Downloads`.
    ///   - options: the options of the launch.
    ///   - baseline: the folder of packages; that of the app by default.
    /// - Throws: the errors of `Container(engine:configuration:)` and `installBaseline(archive:manifest:)`.
    public init(
        engine: Engine, directory: String, options: LaunchOptions = LaunchOptions(), baseline: URL? = nil
    ) async throws {
        var configuration = ContainerConfiguration(directory: directory)
        configuration.pages.mode = options.mode
        configuration.pages.modes = try options.pageModes
        self.engine = engine
        container = try await Container(engine: engine, configuration: configuration)
        let folder = URL(fileURLWithPath: directory).deletingLastPathComponent().appendingPathComponent("Downloads")
        delegate = ExampleDelegate(downloads: folder.path, log: log)
        container.pageDelegate = delegate
        pages = PageController(container)
        listener = Task { [log, board, events = container.events] in
            for await event in events {
                log.record(event)
                if case .page(_, .failed(let url, let error)) = event, url.hasPrefix(ManualCheck.documents) {
                    board.record(6, .fail, error.message)
                }
            }
        }
        for package in try Self.packages(in: baseline ?? Self.baseline) {
            try await container.installBaseline(archive: package + ".zip", manifest: package + ".json")
        }
    }

    deinit {
        listener?.cancel()
    }

    /// The folder of the packages in the bundle of the app.
    private static var baseline: URL {
        Bundle.module.resourceURL?.appendingPathComponent("Baseline") ?? Bundle.module.bundleURL
    }

    /// Returns the paths of the packages in a folder, without extension, sorted.
    static func packages(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
            .map { folder.appendingPathComponent(String($0.dropLast(5))).path }.sorted()
    }

    /// Opens the page of a check.
    public func open(_ check: ManualCheck) async {
        guard let url = check.page else { return }
        await open(url)
        guard let page = pages.page else { return }
        switch check.id {
        case 17: await checkException(in: page)
        case 24: await openDialog(in: page)
        case 28: await checkSnapshot(of: page)
        default: break
        }
    }

    /// Adds a line for each cookie of the engine to the log.
    public func logCookies() async {
        do {
            for cookie in try await engine.cookies.all() { log.add("\(cookie)") }
        } catch {
            log.add("no cookies: \(error)")
        }
    }

    /// Opens a page with the handlers of the checks.
    public func open(_ url: String) async {
        let origin = url.split(separator: "/", maxSplits: 3).prefix(2).joined(separator: "//")
        let data = try? InitialPageData(origin: origin, global: .init("exampleApp", ["check": 11]))
        await pages.open(url, options: PageOptions(initialData: data.map { [$0] } ?? [])) { [board, log] view in
            try view.scripting.setMessageHandler(named: "checks", in: .page) { message in
                if !board.record(message: message.json) { log.add("unknown message \(message.json)") }
                return "null"
            }
            // The reply is the JSON text of the message as a string.
            try view.scripting.setMessageHandler(named: "echo", in: .page) { message in
                String(decoding: try JSONEncoder().encode(message.json), as: UTF8.self)
            }
        }
    }

    /// Check 17: the message of an exception arrives.
    private func checkException(in page: Page<Engine.View>) async {
        do {
            try await page.load.finished(within: .seconds(10))
            _ = try await evaluate("throw new Error('check 17')", in: page)
            board.record(17, .fail, "no exception")
        } catch {
            board.record(17, "\(error)".contains("check 17") ? .pass : .fail, "\(error)")
        }
    }

    /// Check 24: opens a dialog, and returns when it has ended.
    private func openDialog(in page: Page<Engine.View>) async {
        do {
            try await page.load.finished(within: .seconds(10))
            log.add("the result of the dialog is \(try await evaluate("return confirm('check 24')", in: page))")
        } catch {
            log.add("the dialog has no result: \(error)")
        }
    }

    /// Check 28: the picture of an orange page has orange pixels, with the bytes in the order blue, green, red, alpha.
    /// Its PNG file is saved with the downloads.
    private func checkSnapshot(of page: Page<Engine.View>) async {
        do {
            try await page.load.finished(within: .seconds(10))
            let color = "document.documentElement.style.background = 'rgb(255, 128, 0)'"
            _ = try await evaluate("document.body.hidden = true; \(color)", in: page)
            guard let picture = try await page.view.snapshots?.snapshot() else {
                return board.record(28, .fail, "the engine takes no snapshots")
            }
            // A page of one color would count as blank, and be reloaded.
            _ = try await evaluate("document.body.hidden = false", in: page)
            try picture.png.write(to: delegate.makeFolder().appendingPathComponent("check-28.png"))
            let center = (picture.height / 2 * picture.width + picture.width / 2) * 4
            let pixel = Array(picture.pixels.dropFirst(center).prefix(4))
            // Color spaces differ by some units.
            let isOrange = pixel.count == 4 && zip(pixel, [0, 128, 255, 255]).allSatisfy { abs(Int($0) - $1) < 48 }
            board.record(28, isOrange ? .pass : .fail, "\(picture.width) × \(picture.height) pixels, center \(pixel)")
        } catch {
            board.record(28, .fail, "\(error)")
        }
    }

    private func evaluate(_ script: String, in page: Page<Engine.View>) async throws -> String {
        try await page.view.scripting.evaluate(script, in: .page)
    }
}

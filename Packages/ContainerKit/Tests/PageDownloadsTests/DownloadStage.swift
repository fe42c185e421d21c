// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import SchemeMode
import WebEngine
import WebEngineTesting

@testable import PageDownloads

/// A download manager with one open page and a deciding app, without a container.
@MainActor
final class DownloadStage: PageDownloadHost {
    let clock = ManualClock()
    let files = FakeFiles()
    let view = FakeView(id: ViewID(rawValue: 1))
    let page = PageSession(
        id: PageID(rawValue: 1), documentURL: "https://a.example/", view: ViewID(rawValue: 1), mode: .customScheme,
        generations: [])
    let manager: DownloadManager
    private let diary = DownloadDiary()
    /// The decision of the app; `nil` if it makes none.
    var decision: DownloadDecision?
    private(set) var requests: [DownloadRequest] = []

    /// Opens a page whose downloads are saved in a folder.
    init(_ folder: SavedFolder, change: (inout DownloadOptions) -> Void = { _ in }) async {
        var options = DownloadOptions()
        change(&options)
        decision = .save(folder: folder.path)
        manager = await DownloadManager(
            options, clock: clock, directory: folder.store, names: .standard, files: files
        ) { [diary] in diary.record($0) }
        manager.host = self
        manager.begin(page, in: view)
    }

    func session(of view: ViewID) -> PageSession? { view == page.view ? page : nil }

    func realURL(of place: String) -> String { SchemeNames.standard.realURL(of: place) ?? place }

    func requestDecision(
        _ request: DownloadRequest, then: @escaping @MainActor (DownloadDecision) -> Void
    ) -> (@MainActor () -> Void)? {
        requests.append(request)
        let pending = PendingRequest(then)
        if let decision { Task { pending.answer(decision) } }
        return { pending.answer(.cancel) }
    }

    /// Waits for the end of a download, by its index, and returns it. The call retains the stage until then.
    func end(_ number: Int = 0) async throws -> DownloadEvent.Stage {
        let ends = { self.diary.events.map(\.stage).filter { $0 != .began } }
        try await until { ends().count > number }
        return ends()[number]
    }

    /// Waits for the end of a download, by its index, and returns its error code.
    func code(_ number: Int = 0) async throws -> DownloadError.Code? {
        if case .failed(let error) = try await end(number) { error.code } else { nil }
    }

    /// The records of requests that the manager made itself.
    var records: [RequestRecord] { diary.records }
}

/// A request of a page that is answered once.
@MainActor
private final class PendingRequest {
    private var then: ((DownloadDecision) -> Void)?

    init(_ then: @escaping (DownloadDecision) -> Void) { self.then = then }

    func answer(_ decision: DownloadDecision) {
        let then = then
        self.then = nil
        then?(decision)
    }
}

/// The reports of a manager, in order.
@MainActor
private final class DownloadDiary {
    private(set) var events: [DownloadEvent] = []
    private(set) var records: [RequestRecord] = []

    func record(_ report: PageDownloadReport) {
        switch report {
        case .download(let event): events.append(event)
        case .request(let record): records.append(record)
        }
    }
}

/// Bodies by the URLs of their requests.
final class FakeFiles: SavedFileLoading {
    private let bodies = Mutex<[String: ResourceBody]>([:])
    private let agentList = Mutex<[String?]>([])

    /// The user agents of the requests, in order.
    var agents: [String?] { agentList.withLock(\.self) }

    func put(_ body: ResourceBody, at url: String) { bodies.withLock { $0[url] = body } }

    nonisolated(nonsending) func response(
        saving request: EngineRequest, for page: PageSession
    ) async throws -> ResourceResponse {
        agentList.withLock { $0.append(request.head.headerFields[.userAgent]) }
        guard let body = bodies.withLock({ $0[request.head.urlText] }) else {
            throw ResourceError(.internal, "no file", at: request.head.urlText)
        }
        return ResourceResponse(
            head: HTTPResponse(status: .ok), body: body, provenance: Provenance(.network, reason: "a test"))
    }
}

/// A temporary folder with one folder for saved files and one for a container.
struct SavedFolder {
    let root: TemporaryFolder
    /// The path of the folder for saved files.
    var path: String { root.path + "/saved" }
    /// The path of the folder of the container.
    var store: String { root.path + "/store" }

    init() throws {
        root = try TemporaryFolder()
        for folder in [path, store] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
    }

    /// The names of saved files and of journal entries.
    var left: [String] {
        [path, store + "/downloads"].flatMap {
            ((try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? []).sorted()
        }
    }

    /// Returns the content of a saved file as text.
    func content(_ name: String) -> String? {
        FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }
}

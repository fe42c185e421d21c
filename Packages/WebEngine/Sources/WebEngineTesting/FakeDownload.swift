// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import WebEngine

/// A download of the engine's that brings what a test says.
@MainActor
final class FakeDownload: EngineDownload {
    let head: EngineDownloadHead
    private(set) var path: String?
    private(set) var cancels = 0
    /// Whether it says that it has ended when it is cancelled.
    var endsWhenCancelled = true
    var onCancel: (() -> Void)?
    private var receive: (@MainActor (EngineDownloadSignal) -> Void)?
    private let (starts, start) = AsyncStream<Void>.makeStream()

    init(
        _ url: String = "https://a.example/file.zip", name: String? = "file.zip", length: Int64? = nil,
        status: Int? = 200
    ) {
        head = EngineDownloadHead(
            url: url, suggestedName: name, mediaType: "Application/ZIP; x=y", length: length, status: status,
            isUserGesture: true)
    }

    func save(to path: String, _ receive: @escaping @MainActor (EngineDownloadSignal) -> Void) {
        self.path = path
        self.receive = receive
        start.yield()
    }

    func cancel() {
        cancels += 1
        onCancel?()
        if endsWhenCancelled { fail() }
    }

    /// Returns once it is to be saved.
    func started() async { for await _ in starts { return } }

    func receive(_ bytes: Int64) { receive?(.received(bytes)) }

    func finish(_ data: Data) throws {
        // As the engine does: beside its place at first.
        let path = path ?? ""
        try data.write(to: URL(fileURLWithPath: path + ".wkdownload"))
        try FileManager.default.moveItem(atPath: path + ".wkdownload", toPath: path)
        let receive = receive
        self.receive = nil
        receive?(.finished)
    }

    /// Leaves what is there behind, as an engine that was killed.
    func fail(_ error: EngineError = EngineError(.loadFailed, "broken off")) {
        if let path { try? Data(count: 10).write(to: URL(fileURLWithPath: path + ".wkdownload")) }
        let receive = receive
        self.receive = nil
        receive?(.failed(error))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import WebEngine

/// A download whose bytes and end a test controls.
@MainActor
public final class FakeDownload: EngineDownload {
    public let head: EngineDownloadHead
    /// The path of the file to be saved; `nil` before ``save(to:_:)``.
    public private(set) var path: String?
    /// The number of calls of ``cancel()``.
    public private(set) var cancels = 0
    /// A Boolean value that indicates whether a cancelled download reports its end; true initially.
    public var endsWhenCancelled = true
    /// A closure that ``cancel()`` calls.
    public var onCancel: (() -> Void)?
    private var receive: (@MainActor (EngineDownloadSignal) -> Void)?
    private let (starts, start) = AsyncStream<Void>.makeStream()

    /// Creates a download that a user gesture caused, with the media type `Application/ZIP; x=y`.
    /// - Parameters:
    ///   - url: the URL in the engine's form.
    ///   - name: the name that the server suggests.
    ///   - length: the number of bytes that the server announces.
    ///   - status: the status of the response.
    public init(
        _ url: String = "https://a.example/file.zip", name: String? = "file.zip", length: Int64? = nil,
        status: Int? = 200
    ) {
        head = EngineDownloadHead(
            url: url, suggestedName: name, mediaType: "Application/ZIP; x=y", length: length, status: status,
            isUserGesture: true)
    }

    public func save(to path: String, _ receive: @escaping @MainActor (EngineDownloadSignal) -> Void) {
        self.path = path
        self.receive = receive
        start.yield()
    }

    public func cancel() {
        cancels += 1
        onCancel?()
        if endsWhenCancelled { fail() }
    }

    /// Waits for a call of ``save(to:_:)``.
    public func started() async { for await _ in starts { return } }

    /// Reports a total number of received bytes.
    public func receive(_ bytes: Int64) { receive?(.received(bytes)) }

    /// Writes the file through a temporary file in the same folder, as an engine does, and reports the end.
    public func finish(_ data: Data) throws {
        let path = path ?? ""
        try data.write(to: URL(fileURLWithPath: path + ".wkdownload"))
        try FileManager.default.moveItem(atPath: path + ".wkdownload", toPath: path)
        let receive = receive
        self.receive = nil
        receive?(.finished)
    }

    /// Leaves a partial temporary file, as an engine that was killed does, and reports an error.
    public func fail(_ error: EngineError = EngineError(.loadFailed, "interrupted")) {
        if let path { try? Data(count: 10).write(to: URL(fileURLWithPath: path + ".wkdownload")) }
        let receive = receive
        self.receive = nil
        receive?(.failed(error))
    }
}

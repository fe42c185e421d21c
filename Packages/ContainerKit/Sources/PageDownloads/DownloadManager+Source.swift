// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import WebEngine

extension DownloadManager {
    /// Where the bytes of a download come from.
    enum Source: Sendable {
        case engine(any EngineDownload)
        /// An answer of the container's own, whose body was not touched yet.
        case answer(ResourceBody)
    }

    /// What is known of a download.
    struct Head {
        var url: String
        var name: String?
        var mediaType: String?
        var length: Int64?
        var status: Int?
        var isUserGesture: Bool
    }

    /// Why the host need not be asked.
    func refusal(of head: Head, _ request: DownloadRequest) -> DownloadError? {
        if let status = head.status, !(200..<300).contains(status) {
            return DownloadError(.status, "the server answered \(status)", at: request.url)
        }
        if let length = head.length, length > options.byteLimit {
            return DownloadError(.tooLarge, "\(length) bytes, limit \(options.byteLimit)", at: request.url)
        }
        return nil
    }
}

extension DownloadManager.Source {
    /// Lets go of bytes that nobody wants.
    @MainActor
    func refuse() {
        switch self {
        case .engine(let download): download.cancel()
        case .answer(.stream(let stream)):
            // What begins to read it, and is cancelled, ends what brings it.
            let reading = Task { for try await _ in stream { break } }
            reading.cancel()
        case .answer: break
        }
    }
}

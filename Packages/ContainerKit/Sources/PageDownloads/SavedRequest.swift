// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
package import ResourceLoading
internal import SchemeMode
package import WebEngine

/// The loader of files that the engine cannot download, because their URLs have a scheme of the container.
package protocol SavedFileLoading: Sendable {
    /// Returns the response to the request for a file that a page saves. Its body is not rewritten.
    nonisolated(nonsending) func response(saving request: EngineRequest, for page: PageSession) async throws
        -> ResourceResponse
}

/// The record of a request that the container makes itself for a file, until its body has ended.
@MainActor
final class SavedRequest {
    private var record: RequestRecord
    private var failure: ResourceError?

    init(_ request: EngineRequest, of page: PageSession, names: SchemeNames) {
        record = RequestRecord(
            from: .page, of: PageAttribution(page.reference, confidence: .exact), request.head.method,
            names.realURL(of: request.head), isMainDocument: request.isMainDocument)
    }

    /// Records the head of a response, or the error of a request without a response.
    func recording(_ load: () async throws -> ResourceResponse) async throws -> ResourceResponse {
        do {
            let response = try await load()
            record.record(response.head, from: response.provenance)
            return response
        } catch {
            failure = ResourceError(error)
            throw error
        }
    }

    /// Returns the record of the request that has ended.
    /// - Parameters:
    ///   - bytes: the number of received bytes.
    ///   - ending: the result of the download.
    func ended(_ bytes: Int64, _ ending: Download.Ending) -> RequestRecord {
        switch (failure, ending) {
        case (let failure?, _): record.record(.failed(failure, bytes: bytes))
        case (nil, .whole): record.record(.finished(bytes: bytes))
        case (nil, .failed(let reason)) where ![.cancelled, .status].contains(reason.code):
            record.record(.failed(ResourceError(reason), bytes: bytes))
        // The container ended the request, not the server.
        case (nil, .unwanted), (nil, .failed): record.record(.stopped(bytes: bytes))
        }
        return record
    }
}

extension ResourceError {
    fileprivate init(_ reason: DownloadError) {
        let code: Code =
            switch reason.code {
            case .tooLarge: .tooLarge
            case .timedOut: .timedOut
            case .loadFailed: .connectionLost
            default: .io
            }
        self.init(code, reason.message, at: reason.location)
    }
}

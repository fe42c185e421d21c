// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import SchemeRouter

/// The record of the container's own request for a file, until its bytes are counted.
@MainActor
final class SavedRequest {
    private var record: RequestRecord
    private var failure: ResourceError?

    init(_ record: RequestRecord) {
        self.record = record
    }

    func recording(_ answer: () async throws -> ResourceResponse) async throws -> ResourceResponse {
        do {
            let response = try await answer()
            record.record(response)
            return response
        } catch {
            failure = ResourceError(error)
            throw error
        }
    }

    /// - Parameter bytes: those that came.
    func ended(_ bytes: Int64, _ ending: Download.Ending) -> RequestRecord {
        switch (failure, ending) {
        case (let failure?, _): record.record(.failed(failure, bytes: bytes))
        case (nil, .whole): record.record(.finished(bytes: bytes))
        case (nil, .failed(let reason)) where ![.cancelled, .status].contains(reason.code):
            record.record(.failed(ResourceError(reason), bytes: bytes))
        // All of it might have come.
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

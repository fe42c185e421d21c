// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading

extension PackageDownloader {
    /// Fetches a small file into memory, without caches.
    /// - Parameters:
    ///   - url: the URL of the file.
    ///   - limit: the maximum number of bytes.
    /// - Throws: ``DeliveryError`` or `CancellationError`.
    func text(_ url: String, upTo limit: Int) async throws -> Data {
        let text = try await queue.run(DownloadFolder.key(of: url)) {
            try await fetchText(url, upTo: limit, missing: [])
        }
        guard let text else { throw DeliveryError(.status, "the server does not have the file", at: url) }
        return text
    }

    /// Fetches a small file into memory, without caches, and without a place in the queue of downloads.
    /// - Parameters:
    ///   - url: the URL of the file.
    ///   - limit: the maximum number of bytes.
    ///   - missing: the statuses that mean that the server does not have the file.
    /// - Returns: `nil` for one of these statuses.
    /// - Throws: ``DeliveryError`` or `CancellationError`.
    func fetchText(_ url: String, upTo limit: Int, missing: Set<Int>) async throws -> Data? {
        let stall = StallLimit(limit: configuration.stallLimit, clock: configuration.clock)
        // A slow server that does not stall could block a download slot for days, so the time of each attempt is
        // limited. Waits between attempts are not included: the retry plan limits them, and the job may wait for a slot
        // afterwards.
        let all = StallLimit(
            limit: configuration.manifestLimit, clock: configuration.clock,
            reason: "the manifest was not complete after",
            location: url)
        let fetch = makeFetch()
        var retries = Retries(configuration)
        while true {
            let received = Mutex<Data?>(Data())
            let outcome = try await all.run { _ in
                try await stall.attempt(url) { alive in
                    do {
                        let response = try await fetch.get(
                            url, [.cacheControl: "no-cache", .accept: "application/json"])
                        alive()
                        let status = response.head.status.code
                        guard !missing.contains(status) else {
                            received.withLock { $0 = nil }
                            return .complete
                        }
                        guard status == 200 else {
                            return .failed(
                                .status(status, retryAfter: response.head.headerFields[.retryAfter]),
                                DeliveryError(.status, "the server responded with status \(status)", at: url))
                        }
                        if let length = response.body.length, length <= Int64(limit) {
                            // Without the capacity, the buffer grows by copies.
                            received.withLock { $0?.reserveCapacity(Int(length)) }
                        }
                        var activity = ActivityCounter()
                        try await response.body.forEachPiece { piece in
                            let size = received.withLock { data in
                                data?.append(piece)
                                return data?.count ?? 0
                            }
                            guard size <= limit else {
                                throw DeliveryError(.tooLarge, "the manifest has more than \(limit) bytes", at: url)
                            }
                            activity.count(piece.count, alive)
                        }
                        return .complete
                    } catch let error as ResourceError {
                        return try AttemptOutcome(error, at: url)
                    }
                }
            }
            switch outcome {
            case .complete: return received.withLock { $0 }
            case .failed(let failure, let error): try await retries.wait(after: failure, error)
            }
        }
    }
}

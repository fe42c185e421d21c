// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading

extension PackageDownloader {
    /// Fetches a small file whole into memory, past every cache.
    /// - Parameter limit: the most bytes.
    /// - Throws: ``DeliveryError`` or `CancellationError`.
    func text(_ url: String, upTo limit: Int) async throws -> Data {
        try await queue.run(DownloadFolder.key(of: url)) {
            try await fetchText(url, upTo: limit)
        }
    }

    private func fetchText(_ url: String, upTo limit: Int) async throws -> Data {
        let stall = StallLimit(limit: configuration.stallLimit, clock: configuration.clock)
        // Who is just fast enough not to be taken for silent would hold the place of a download for days. Waits between
        // attempts do not count: the plan bounds them, and who waits may have to wait for a place after that.
        let all = StallLimit(
            limit: configuration.manifestLimit, clock: configuration.clock, reason: "the manifest was not whole after",
            location: url)
        let fetch = makeFetch()
        var retries = Retries(configuration)
        while true {
            let received = Mutex(Data())
            let outcome = try await all.run { _ in
                try await stall.attempt(url) { alive in
                    do {
                        let response = try await fetch.get(
                            url, [.cacheControl: "no-cache", .accept: "application/json"])
                        alive()
                        let status = response.head.status.code
                        guard status == 200 else {
                            return .failed(
                                .status(status, retryAfter: response.head.headerFields[.retryAfter]),
                                DeliveryError(.status, "the server answered \(status)", at: url))
                        }
                        if let length = response.body.length, length <= Int64(limit) {
                            // Else it grows by copies of itself.
                            received.withLock { $0.reserveCapacity(Int(length)) }
                        }
                        var unheard = 0
                        try await response.body.forEachPiece { piece in
                            let size = received.withLock { data in
                                data.append(piece)
                                return data.count
                            }
                            guard size <= limit else {
                                throw DeliveryError(.tooLarge, "manifest of more than \(limit) bytes", at: url)
                            }
                            // Who sends a byte now and then only is as good as silent.
                            unheard += piece.count
                            if unheard >= 1_024 {
                                unheard = 0
                                alive()
                            }
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

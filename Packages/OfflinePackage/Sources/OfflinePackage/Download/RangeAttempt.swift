// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import PackageFormat
internal import ResourceLoading
internal import WebSyntax

/// Fetches ranges of an archive, a request for each, and writes them at their places. What a request brought before
/// it broke off is not asked for again.
///
/// Isolation: any; one attempt at a time.
final class RangeAttempt: Sendable {
    private struct State {
        var pending: [Range<Int64>]
        var validator: RangeValidator?
    }

    private let download: PackageDownload
    private let file: PartialFile
    private let fetch: DeliveryFetch
    private let now: @Sendable () -> Date
    private let meter: TrafficMeter
    private let state: Mutex<State>

    init(
        _ ranges: [Range<Int64>], of download: PackageDownload, into file: PartialFile, fetch: DeliveryFetch,
        now: @escaping @Sendable () -> Date, meter: TrafficMeter
    ) {
        self.download = download
        self.file = file
        self.fetch = fetch
        self.now = now
        self.meter = meter
        state = Mutex(State(pending: ranges))
    }

    /// How many bytes must still come.
    var pendingBytes: Int64 { state.withLock { $0.pending.reduce(0) { $0 + Int64($1.count) } } }

    /// - Throws: ``DeliveryError`` where ranges do not lead there at all, or `CancellationError`.
    func run(alive: @escaping @Sendable () -> Void) async throws -> AttemptOutcome {
        while let range = state.withLock({ $0.pending.first }) {
            do {
                meter.countRequest()
                let response = try await fetch.get(
                    download.url,
                    [.range: "bytes=\(range.lowerBound)-\(range.upperBound - 1)", .acceptEncoding: "identity"])
                alive()
                if let failure = try await receive(response, range, alive) { return failure }
            } catch let error as ResourceError {
                return try AttemptOutcome(error, at: download.url)
            }
        }
        return .complete
    }

    /// - Returns: what went wrong and may pass; `nil` where the range is whole.
    private func receive(
        _ response: ResourceResponse, _ range: Range<Int64>, _ alive: @Sendable () -> Void
    ) async throws -> AttemptOutcome? {
        let fields = response.head.headerFields
        let status = response.head.status.code
        guard status == 206 else {
            let failure = RetryPlan.Failure.status(status, retryAfter: fields[.retryAfter])
            guard RetryPlan.isPassing(failure) else {
                throw refused("a request for a range is answered with status \(status)")
            }
            return .failed(failure, DeliveryError(.status, "the server answered \(status)", at: download.url))
        }
        guard fields[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true,
            let field = fields[.contentRange], case .part(let sent, let total) = ContentRange(field),
            sent.lowerBound == range.lowerBound, sent.upperBound <= range.upperBound
        else { throw refused("an answer 206 with other bytes than asked for") }
        if let total, let size = download.size, total != size {
            throw refused("archive of \(total) bytes, the manifest names \(size)")
        }
        let isOther = state.withLock { state in
            defer { state.validator = state.validator ?? RangeValidator(fields, now: now()) }
            return state.validator?.isContradicted(by: fields) ?? false
        }
        if isOther { throw refused("the file changed while it was fetched") }
        var offset = range.lowerBound
        var unheard = 0
        try await response.body.forEachPiece { piece in
            meter.count(piece.count)
            guard offset + Int64(piece.count) <= sent.upperBound else { throw refused("more bytes than announced") }
            try file.write(piece, at: offset)
            offset += Int64(piece.count)
            let reached = offset
            state.withLock { state in
                state.pending[0] = reached..<state.pending[0].upperBound
                if state.pending[0].isEmpty { state.pending.removeFirst() }
            }
            unheard += piece.count
            if unheard >= 1_024 {
                unheard = 0
                alive()
            }
        }
        guard offset < range.upperBound else { return nil }
        return .failed(
            .transport(.connectionLost),
            DeliveryError(.truncated, "ended after \(offset) of \(range.upperBound)", at: download.url))
    }

    private func refused(_ reason: String) -> DeliveryError {
        DeliveryError(.badAnswer, reason, at: download.url)
    }
}

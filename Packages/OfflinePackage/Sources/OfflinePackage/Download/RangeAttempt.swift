// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import PackageFormat
internal import ResourceLoading
internal import WebSyntax

/// The transfer of ranges of an archive, one request each, into a partial file.
///
/// Bytes that arrive before a request fails are not requested again.
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

    /// The number of bytes that have not arrived yet.
    var pendingBytes: Int64 { state.withLock { $0.pending.reduce(0) { $0 + Int64($1.count) } } }

    /// Requests the pending ranges.
    /// - Throws: ``DeliveryError`` if the server does not support ranges, or `CancellationError`.
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

    /// Writes the body of a response to the file.
    /// - Returns: a failure after which another attempt may succeed, or `nil` if the range is complete.
    private func receive(
        _ response: ResourceResponse, _ range: Range<Int64>, _ alive: @Sendable () -> Void
    ) async throws -> AttemptOutcome? {
        let fields = response.head.headerFields
        let status = response.head.status.code
        guard status == 206 else {
            let failure = RetryPlan.Failure.status(status, retryAfter: fields[.retryAfter])
            guard RetryPlan.isPassing(failure) else {
                throw refused("the response to a range request has status \(status)")
            }
            return .failed(
                failure, DeliveryError(.status, "the server responded with status \(status)", at: download.url))
        }
        guard fields[.contentEncoding].map({ $0.asciiLowercased == "identity" }) ?? true,
            let field = fields[.contentRange], case .part(let sent, let total) = ContentRange(field),
            sent.lowerBound == range.lowerBound, sent.upperBound <= range.upperBound
        else { throw refused("the 206 response has another range than requested") }
        if let total, let size = download.size, total != size {
            throw refused("the archive has \(total) bytes, the manifest declares \(size)")
        }
        let isOther = state.withLock { state in
            defer { state.validator = state.validator ?? RangeValidator(fields, now: now()) }
            return state.validator?.isContradicted(by: fields) ?? false
        }
        if isOther { throw refused("the file changed during the download") }
        var offset = range.lowerBound
        var activity = ActivityCounter()
        try await response.body.forEachPiece { piece in
            meter.count(piece.count)
            guard offset + Int64(piece.count) <= sent.upperBound else {
                throw refused("the body has more bytes than declared")
            }
            try file.write(piece, at: offset)
            offset += Int64(piece.count)
            let reached = offset
            state.withLock { state in
                state.pending[0] = reached..<state.pending[0].upperBound
                if state.pending[0].isEmpty { state.pending.removeFirst() }
            }
            activity.count(piece.count, alive)
        }
        guard offset < range.upperBound else { return nil }
        return .failed(
            .transport(.connectionLost),
            DeliveryError(.truncated, "the response ended after \(offset) of \(range.upperBound)", at: download.url))
    }

    private func refused(_ reason: String) -> DeliveryError {
        DeliveryError(.badAnswer, reason, at: download.url)
    }
}

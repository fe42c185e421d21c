// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import PackageFormat
internal import ResourceLoading
internal import WebSyntax

/// One request of a download, and what its answer does to the partial file.
struct DownloadAttempt: Sendable {
    let download: PackageDownload
    let key: String
    let file: PartialFile
    let folder: DownloadFolder
    let fetch: DeliveryFetch
    let sizeLimit: Int64
    let now: @Sendable () -> Date
    let checkSpace: @Sendable (Int64) throws -> Void
    let progress: (@Sendable (PackageDownloadProgress) -> Void)?
    let meter: TrafficMeter

    /// - Parameter alive: to be called when something came.
    /// - Throws: ``DeliveryError`` where another attempt cannot do better, or `CancellationError`.
    func run(alive: @escaping @Sendable () -> Void) async throws -> AttemptOutcome {
        let (have, record) = try prepare()
        if have > 0 { progress?(PackageDownloadProgress(received: have, total: record?.total ?? download.size)) }
        if have > 0, have == record?.total ?? download.size { return .complete }
        var fields: HTTPFields = [.range: "bytes=\(have)-", .acceptEncoding: "identity"]
        if have > 0 { fields[.ifRange] = record?.validator?.text }
        if let needed = (record?.total ?? download.size).map({ $0 - have }) { try checkSpace(needed) }
        do {
            meter.countRequest()
            let response = try await fetch.get(download.url, fields)
            alive()
            return try await receive(response, have, record, alive)
        } catch let error as ResourceError {
            return try AttemptOutcome(error, at: download.url)
        }
    }

    /// What there is to go on with: how many bytes, and what is known of them.
    private func prepare() throws -> (Int64, DownloadRecord?) {
        let have = try file.size()
        guard have > 0 else { return (0, nil) }
        guard let record = folder.readRecord(of: key), record.isResumable, record.url == download.url,
            record.sha256 == download.sha256,
            record.total == nil || download.size == nil
                || record.total == download.size,
            have <= record.total ?? download.size ?? .max
        else {
            try reset()
            return (0, nil)
        }
        return (have, record)
    }

    private func receive(
        _ response: ResourceResponse, _ have: Int64, _ record: DownloadRecord?, _ alive: @Sendable () -> Void
    ) async throws -> AttemptOutcome {
        let fields = response.head.headerFields
        switch response.head.status.code {
        case 200:
            try checkCoding(fields)
            if have > 0 { try reset() }
            return try await receive(response.body, from: 0, total: response.body.length, fields, alive)
        case 206:
            try checkCoding(fields)
            guard let field = fields[.contentRange], case .part(let range, let total) = ContentRange(field),
                range.lowerBound == have
            else { return try anew("an answer 206 with other bytes than asked for") }
            if let record {
                guard record.validator?.isContradicted(by: fields) != true,
                    record.total == nil || total == nil || record.total == total
                else { return try anew("the file changed while it was fetched") }
            }
            return try await receive(
                response.body, from: have, total: total ?? record?.total, upTo: range.upperBound, fields, alive)
        case 416:
            guard have > 0 else { throw DeliveryError(.badAnswer, "the archive has no bytes", at: download.url) }
            if let field = fields[.contentRange], case .unsatisfied(have) = ContentRange(field) { return .complete }
            return try anew("the file became shorter while it was fetched")
        case let code:
            return .failed(
                .status(code, retryAfter: fields[.retryAfter]),
                DeliveryError(.status, "the server answered \(code)", at: download.url))
        }
    }

    /// Appends a body to the file.
    /// - Parameters:
    ///   - total: the bytes of the whole, where they are known.
    ///   - end: where the body ends, where that is known.
    private func receive(
        _ body: ResourceBody, from start: Int64, total: Int64?, upTo end: Int64? = nil, _ fields: HTTPFields,
        _ alive: @Sendable () -> Void
    ) async throws -> AttemptOutcome {
        if let total {
            guard download.size == nil || download.size == total else {
                try reset()
                throw DeliveryError(
                    .digestMismatch, "archive of \(total) bytes, the manifest names \(download.size ?? 0)",
                    at: download.url)
            }
            guard total <= sizeLimit else {
                throw DeliveryError(.tooLarge, "archive of \(total) bytes, limit \(sizeLimit)", at: download.url)
            }
            try checkSpace(total - start)
        }
        let whole = total ?? download.size
        if start == 0 {
            let record = DownloadRecord(
                url: download.url, validator: RangeValidator(fields, now: now()), total: whole,
                sha256: download.sha256)
            try folder.write(record, of: key)
        }
        var offset = start
        var unheard = 0
        // A response that names no total may name any end.
        let limit = min(end ?? .max, whole ?? .max, sizeLimit)
        try await body.forEachPiece { piece in
            meter.count(piece.count)
            guard offset + Int64(piece.count) <= limit else {
                try reset()
                throw DeliveryError(.tooLarge, "more than \(limit) bytes", at: download.url)
            }
            try file.write(piece, at: offset)
            offset += Int64(piece.count)
            progress?(PackageDownloadProgress(received: offset, total: whole))
            // Who sends a byte now and then only is as good as silent.
            unheard += piece.count
            if unheard >= 1_024 {
                unheard = 0
                alive()
            }
        }
        if let whole, offset < whole {
            return .failed(
                .transport(.connectionLost),
                DeliveryError(.truncated, "ended after \(offset) of \(whole) bytes", at: download.url))
        }
        return .complete
    }

    private func checkCoding(_ fields: HTTPFields) throws {
        guard let coding = fields[.contentEncoding], coding.lowercased() != "identity" else { return }
        throw DeliveryError(.badAnswer, "the archive comes as \(coding.prefix(40))", at: download.url)
    }

    /// Drops what there is, and asks for another attempt.
    private func anew(_ reason: String) throws -> AttemptOutcome {
        try reset()
        return .failed(.damaged, DeliveryError(.badAnswer, reason, at: download.url))
    }

    private func reset() throws {
        folder.removeRecord(of: key)
        try file.truncate(to: 0)
        progress?(PackageDownloadProgress(received: 0, total: download.size))
    }
}

/// What came of one request.
enum AttemptOutcome: Sendable {
    /// All that was asked for is there. Its digest was not looked at.
    case complete
    /// Another attempt may do better.
    case failed(RetryPlan.Failure, DeliveryError)

    /// - Throws: `CancellationError` where that is what the error means.
    init(_ error: ResourceError, at url: String) throws {
        guard error.code != .cancelled else { throw CancellationError() }
        self = .failed(.transport(error.code), DeliveryError(.network, error.message, at: url, cause: error))
    }
}

extension StallLimit {
    /// Makes one attempt; a stall is a failure that another attempt may do better than.
    func attempt(
        _ url: String,
        _ body: @escaping @Sendable (_ alive: @escaping @Sendable () -> Void) async throws -> AttemptOutcome
    ) async throws -> AttemptOutcome {
        do {
            return try await run(body)
        } catch let error as DeliveryError where error.code == .stalled {
            return .failed(.transport(.timedOut), DeliveryError(.stalled, error.message, at: url))
        }
    }
}

/// Ends work that makes no progress.
struct StallLimit: Sendable {
    let limit: Duration
    let clock: any Clock<Duration>
    /// What the error says, before the limit.
    var reason = "nothing came for"
    /// What was waited for: a URL.
    var location: String?

    /// Runs `body`, and cancels it where it does not call its argument for as long as the limit.
    /// - Throws: ``DeliveryError`` with code `stalled`, or what `body` throws.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (_ alive: @escaping @Sendable () -> Void) async throws -> Value
    ) async throws -> Value {
        let timer = InactivityTimer(clock)
        return try await timer.run(limit: limit) { [self] in
            DeliveryError(.stalled, "\(reason) \(limit)", at: location)
        } _: {
            try await body { timer.recordActivity() }
        }
    }
}

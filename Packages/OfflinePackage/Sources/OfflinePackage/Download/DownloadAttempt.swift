// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import PackageFormat
internal import ResourceLoading
internal import WebSyntax

/// One attempt to download an archive: a request for the missing bytes, whose response is written to the partial file.
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

    /// Sends the request and processes the response.
    /// - Parameter alive: a closure to call when data arrives.
    /// - Throws: ``DeliveryError`` if another attempt cannot succeed, or `CancellationError`.
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

    /// Returns the number of bytes that the download can resume from, and their record.
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
            else { return try restart("the 206 response has another range than requested") }
            if let record {
                guard record.validator?.isContradicted(by: fields) != true,
                    record.total == nil || total == nil || record.total == total
                else { return try restart("the file changed during the download") }
            }
            return try await receive(
                response.body, from: have, total: total ?? record?.total, upTo: range.upperBound, fields, alive)
        case 416:
            guard have > 0 else { throw DeliveryError(.badAnswer, "the archive has no bytes", at: download.url) }
            if let field = fields[.contentRange], case .unsatisfied(have) = ContentRange(field) { return .complete }
            return try restart("the file became shorter during the download")
        case let code:
            return .failed(
                .status(code, retryAfter: fields[.retryAfter]),
                DeliveryError(.status, "the server responded with status \(code)", at: download.url))
        }
    }

    /// Appends a body to the file.
    /// - Parameters:
    ///   - body: the body of the response.
    ///   - start: the offset of the body in the archive.
    ///   - total: the number of bytes of the archive, or `nil` if it is not known.
    ///   - end: the offset of the end of the body, or `nil` if it is not known.
    ///   - fields: the header fields of the response.
    ///   - alive: a closure to call when data arrives.
    private func receive(
        _ body: ResourceBody, from start: Int64, total: Int64?, upTo end: Int64? = nil, _ fields: HTTPFields,
        _ alive: @Sendable () -> Void
    ) async throws -> AttemptOutcome {
        if let total {
            guard download.size == nil || download.size == total else {
                try reset()
                throw DeliveryError(
                    .digestMismatch, "the archive has \(total) bytes, the manifest declares \(download.size ?? 0)",
                    at: download.url)
            }
            guard total <= sizeLimit else {
                throw DeliveryError(
                    .tooLarge, "the archive has \(total) bytes, the limit is \(sizeLimit)", at: download.url)
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
        var activity = ActivityCounter()
        // Without a total size, only `sizeLimit` bounds the end of the body.
        let limit = min(end ?? .max, whole ?? .max, sizeLimit)
        try await body.forEachPiece { piece in
            meter.count(piece.count)
            guard offset + Int64(piece.count) <= limit else {
                try reset()
                throw DeliveryError(.tooLarge, "the body has more than \(limit) bytes", at: download.url)
            }
            try file.write(piece, at: offset)
            offset += Int64(piece.count)
            progress?(PackageDownloadProgress(received: offset, total: whole))
            activity.count(piece.count, alive)
        }
        if let whole, offset < whole {
            return .failed(
                .transport(.connectionLost),
                DeliveryError(.truncated, "the response ended after \(offset) of \(whole) bytes", at: download.url))
        }
        return .complete
    }

    private func checkCoding(_ fields: HTTPFields) throws {
        guard let coding = fields[.contentEncoding], coding.asciiLowercased != "identity" else { return }
        throw DeliveryError(.badAnswer, "the archive has the content coding \(coding.prefix(40))", at: download.url)
    }

    /// Discards the received bytes and returns a failure after which another attempt may succeed.
    private func restart(_ reason: String) throws -> AttemptOutcome {
        try reset()
        return .failed(.damaged, DeliveryError(.badAnswer, reason, at: download.url))
    }

    private func reset() throws {
        folder.removeRecord(of: key)
        try file.truncate(to: 0)
        progress?(PackageDownloadProgress(received: 0, total: download.size))
    }
}

/// The outcome of one request.
enum AttemptOutcome: Sendable {
    /// All requested bytes were received. Their digest is not checked yet.
    case complete
    /// The request failed, but another attempt may succeed.
    case failed(RetryPlan.Failure, DeliveryError)

    /// Creates the outcome of an error of the loader.
    /// - Throws: `CancellationError` if the error means a cancellation.
    init(_ error: ResourceError, at url: String) throws {
        guard error.code != .cancelled else { throw CancellationError() }
        self = .failed(.transport(error.code), DeliveryError(.network, error.message, at: url, cause: error))
    }
}

extension StallLimit {
    /// Runs one attempt and converts a stall to a failure after which another attempt may succeed.
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

/// A counter of received bytes that reports activity after each 1 KiB.
///
/// A server that sends less within a ``StallLimit`` counts as stalled.
struct ActivityCounter {
    private var bytes = 0

    mutating func count(_ count: Int, _ alive: () -> Void) {
        bytes += count
        guard bytes >= 1_024 else { return }
        bytes = 0
        alive()
    }
}

/// A limit on the time without progress.
struct StallLimit: Sendable {
    let limit: Duration
    let clock: any Clock<Duration>
    /// The start of the error message, which the limit follows.
    var reason = "no data arrived for"
    /// The URL for the error, or `nil`.
    var location: String?

    /// Runs `body` and cancels it if `body` does not call its `alive` argument within the limit.
    /// - Throws: ``DeliveryError`` with code `stalled`, or the error of `body`.
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

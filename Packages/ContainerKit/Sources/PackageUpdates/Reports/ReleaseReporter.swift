// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import Logging
internal import OfflinePackage
internal import ResourceLoading
@_spi(Facade) internal import ResourceStore

/// The reporter of releases. It collects reports of package events, stores them, and sends them in batches.
///
/// A batch is sent when enough reports are there, when the app enters the background, or some minutes after a report.
/// A report is removed when its batch was sent. A batch whose response does not arrive may be sent twice.
///
/// Isolation: the main actor; requests and disk access run on other threads.
@MainActor
final class ReleaseReporter {
    /// The number of reports that are sent at once, and the maximum number in a batch.
    static let batchLimit = 32
    /// The maximum number of stored reports. The oldest ones are dropped.
    static let storedLimit = 128
    /// The maximum time from a report, or from the launch, to its batch.
    static let delay = Duration.seconds(300)
    /// The minimum time from a failed batch to the next one in this process.
    static let retryDelay = Duration.seconds(1_800)
    private nonisolated static let answerLimit = Duration.seconds(30)
    private let options: ReleaseReports
    private let channel: String?
    private let network: any ResourceLoader
    private let conditions: any HostConditioning
    private let storage: StoredDocument
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let draw: @Sendable () -> Int
    private var reports: [ReleaseReport] = []
    /// The reports on disk.
    private var saved: [ReleaseReport] = []
    /// The number of reports, from the oldest one, that are being sent.
    private var sentCount = 0
    private(set) var sending: Task<Void, Never>?
    private(set) var saving: Task<Void, Never>?
    private var waking: Task<Void, Never>?
    /// A Boolean value that indicates whether a batch failed and the time of the next one has not come.
    private(set) var isHeld = false
    private var isOver = false

    /// Creates a reporter and restores the reports of earlier processes.
    /// - Parameters:
    ///   - options: the URL and the share.
    ///   - channel: the channel of the device, or `nil` without signed releases.
    ///   - store: the store of the reports.
    ///   - network: the network loader, which must not follow redirects itself.
    ///   - allowsInsecure: whether reports may be sent over `http` to other machines.
    ///   - conditions: the conditions of the device.
    ///   - logger: the log of failures.
    ///   - clock: the clock of timers and time limits.
    ///   - draw: a closure that returns a random number from 0 to 999.
    /// - Returns: `nil` if the URL is not allowed.
    init?(
        _ options: ReleaseReports, channel: String?, store: BlobStore, network: any ResourceLoader,
        allowsInsecure: Bool, conditions: any HostConditioning, logger: Logger, clock: any Clock<Duration>,
        draw: @escaping @Sendable () -> Int = { Int.random(in: 0..<1_000) }
    ) async {
        guard let origin = WebOrigin(url: options.url), ["http", "https"].contains(origin.scheme),
            allowsInsecure || origin.isPotentiallyTrustworthy
        else {
            logger.error("the URL of release reports is not an allowed one", metadata: ["url": "\(options.url)"])
            return nil
        }
        self.options = options
        self.channel = channel
        self.network = network
        self.conditions = conditions
        storage = StoredDocument("release-reports", in: store)
        self.logger = logger
        self.clock = clock
        self.draw = draw
        do {
            if let data = try await storage.read() { saved = try await Self.decode(data) }
        } catch {
            logger.warning("cannot read the release reports", metadata: ["error": "\(error)"])
        }
        reports = saved
        if !reports.isEmpty { schedule(after: Self.delay) }
    }

    deinit {
        waking?.cancel()
        sending?.cancel()
    }

    /// Adds the report of an event to the next batch. Events that are not reported have no effect.
    func record(_ event: PackageEvent) {
        guard !isOver, let report = ReleaseReport(event, channel: channel), draw() < options.share,
            // A failed update may be attempted many times before a batch is sent.
            report.event != .updateFailed || !reports.contains(report)
        else { return }
        reports.append(report)
        let excess = max(reports.count - Self.storedLimit, 0)
        reports.removeFirst(excess)
        sentCount = max(sentCount - excess, 0)
        save()
        if reports.count >= Self.batchLimit { send() }
        schedule(after: Self.delay)
    }

    /// Records that the app enters the background. Does not wait for the batch.
    func recordBackground() { send() }

    /// Stops the timer and the request in progress. Reports that were not sent remain for the next process.
    func shutDown() async {
        isOver = true
        waking?.cancel()
        sending?.cancel()
        await sending?.value
        await saving?.value
        save()
        await saving?.value
    }

    // MARK: Batches

    /// Sends the oldest reports, unless the network or a failed batch prevents it.
    private func send() {
        guard !isOver, !isHeld, sending == nil, !reports.isEmpty, conditions.conditions.network != .none else { return }
        waking?.cancel()
        waking = nil
        let batch = Array(reports.prefix(Self.batchLimit))
        sentCount = batch.count
        sending = Task { [weak self, network, clock, url = options.url] in
            do {
                try await Self.post(batch, to: url, network, clock)
                self?.finish(nil)
            } catch {
                self?.finish(error)
            }
        }
    }

    private func finish(_ error: (any Error)?) {
        sending = nil
        if let error {
            isHeld = true
            if !isOver { logger.info("cannot send release reports", metadata: ["error": "\(error)"]) }
        } else {
            reports.removeFirst(sentCount)
            save()
            if reports.count >= Self.batchLimit { send() }
        }
        schedule(after: isHeld ? Self.retryDelay : Self.delay)
    }

    /// Schedules the next batch, unless it is scheduled or being sent.
    private func schedule(after delay: Duration) {
        guard !isOver, waking == nil, sending == nil, !reports.isEmpty else { return }
        waking = Task { [weak self, clock] in
            guard (try? await clock.sleep(for: delay)) != nil, !Task.isCancelled, let self else { return }
            waking = nil
            isHeld = false
            send()
            schedule(after: Self.delay)
        }
    }

    @concurrent
    private static func post(
        _ batch: [ReleaseReport], to url: String, _ network: any ResourceLoader, _ clock: any Clock<Duration>
    ) async throws {
        guard var head = HTTPRequest(urlText: url, headerFields: [.contentType: "application/x-ndjson"]) else {
            throw ResourceError(.invalidRequest, "the text is not an absolute URL", at: url)
        }
        head.method = .post
        let request = ResourceRequest(head, body: .bytes(try ReleaseReport.lines(batch)), credentials: .omit)
        try await withTimeLimit(answerLimit, clock: clock) {
            ResourceError(.timedOut, "no response arrived within \(answerLimit)", at: url)
        } _: {
            guard let status = try await network.load(request)?.head.status, status.kind == .successful else {
                throw ResourceError(.invalidRequest, "the server did not accept the reports", at: url)
            }
        }
    }

    // MARK: State

    /// Stores the reports unless they are stored. A failed write is repeated with the next change.
    func save() {
        guard saving == nil, reports != saved else { return }
        saving = Task { [weak self, storage, logger] in
            while let reports = self?.unsaved {
                do {
                    try await storage.write(Self.encode(reports))
                } catch {
                    logger.warning("cannot store the release reports", metadata: ["error": "\(error)"])
                    break
                }
                self?.saved = reports
            }
            self?.saving = nil
        }
    }

    private var unsaved: [ReleaseReport]? { reports == saved ? nil : reports }

    @concurrent
    private static func decode(_ data: Data) async throws -> [ReleaseReport] {
        try JSONDecoder().decode([ReleaseReport].self, from: data)
    }

    @concurrent
    private static func encode(_ reports: [ReleaseReport]) async throws -> Data {
        try JSONEncoder().encode(reports)
    }
}

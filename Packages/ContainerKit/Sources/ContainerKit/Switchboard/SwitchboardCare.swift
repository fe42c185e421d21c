// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import Logging
internal import ResourceLoading
internal import ResourceStore
internal import SchemeRouter

/// Keeps the switchboard: takes documents of its server and its host, keeps the last good one on disk, and sets the
/// switches by it.
///
/// Isolation: the main actor; reading, writing and fetching happen elsewhere.
@MainActor
final class SwitchboardCare {
    /// What a kept document begins with that the host brought.
    private static let hostMark = Data("\n".utf8)
    private let source: SwitchboardSource?
    private let network: any ResourceLoading
    private let kept: KeptDocument
    private let conditions: any HostConditioning
    private let logger: Logger
    private let rules: LiveRules
    private let switches: FeatureSwitches
    private let clock: any Clock<Duration>
    private let elapsed: () -> Duration
    private let now: () -> Date
    private var device = DeviceBucket()
    private var document: SwitchboardDocument?
    private var documentAtStart: SwitchboardDocument?
    private var isExpired = false
    /// Whether the next process will find the document.
    private var isKept = true
    private var checking: Task<Void, Never>?
    private var nextCheck = Duration.zero
    private(set) var counters = SwitchboardCounters()
    /// Hears each change of what applies.
    var onChange: (@MainActor (SwitchboardState) -> Void)?
    /// Hears what came of each check.
    var onCheck: (@MainActor (SwitchboardCheck) -> Void)?

    /// - Parameters:
    ///   - network: follows redirects, and decodes.
    ///   - rules: are given the document's objections, and leave the host's as they are.
    ///   - now: the time of the wall clock.
    init(
        _ options: SwitchboardOptions, network: any ResourceLoading, store: ResourceStore,
        conditions: any HostConditioning, logger: Logger, rules: LiveRules, switches: FeatureSwitches,
        clock: some Clock<Duration> = ContinuousClock(), now: @escaping () -> Date = { Date() }
    ) {
        source = options.source
        self.network = network
        kept = KeptDocument("switchboard", in: store)
        self.conditions = conditions
        self.logger = logger
        self.rules = rules
        self.switches = switches
        self.clock = clock
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        self.now = now
    }

    deinit {
        checking?.cancel()
    }

    var state: SwitchboardState {
        let applying = isExpired ? nil : document
        return SwitchboardState(
            document: document, isExpired: isExpired, isEnabled: applying?.isEnabled ?? true,
            features: applying?.features(on: device) ?? Set(SwitchboardFeature.allCases),
            documentAtStart: documentAtStart)
    }

    /// The numbers that the container is to be opened with.
    var numbers: SwitchboardNumbers { documentAtStart?.numbers ?? SwitchboardNumbers() }

    /// Takes the document that the last process kept: before there is a page, and without the network.
    func open(_ store: ResourceStore) async {
        await openDevice(KeptDocument("device-bucket", in: store))
        do {
            if let bytes = try await kept.read(), let json = json(of: bytes) {
                document = try SwitchboardDocument(json: json)
            }
        } catch {
            // The server has another one.
            logger.warning("the kept switchboard cannot be read", metadata: ["error": "\(error)"])
        }
        isExpired = document.map { !$0.applies(at: now()) } ?? false
        documentAtStart = isExpired ? nil : document
        set()
    }

    private func openDevice(_ kept: KeptDocument) async {
        do {
            if let bytes = try await kept.read(),
                let known = DeviceBucket(identity: String(decoding: bytes, as: UTF8.self))
            {
                device = known
            } else {
                try await kept.write(Data(device.identity.utf8))
            }
        } catch {
            // It has another number in the next process.
            logger.warning("the device's bucket cannot be kept", metadata: ["error": "\(error)"])
        }
    }

    /// What is kept begins with where it comes from. Another server's document says nothing of what this one wants.
    private func json(of kept: Data) -> Data? {
        for mark in [Self.hostMark, sourceMark] {
            if let mark, kept.starts(with: mark) { return Data(kept.dropFirst(mark.count)) }
        }
        return nil
    }

    private var sourceMark: Data? { source.map { Data("\($0.url)\n".utf8) } }

    private func set() {
        let state = state
        switches.set(state.features)
        // What the modes say holds from one start to the next.
        var objections = documentAtStart.map { [$0.modeRules] } ?? []
        if !isExpired, let document { objections.append(document.objections) }
        rules.objections = objections
    }

    /// Takes a document of the host.
    /// - Throws: ``SwitchboardError`` with code `older`; `StoreError` where it applies, but could not be kept.
    func apply(_ document: SwitchboardDocument) async throws {
        do {
            try await take(document, mark: Self.hostMark)
        } catch {
            counters.failures += 1
            throw error
        }
    }

    /// - Returns: whether it is another one.
    @discardableResult
    private func take(_ next: SwitchboardDocument, mark: Data) async throws -> Bool {
        if let document {
            guard next.json != document.json else {
                // The folder may have been out of reach before.
                if !isKept { try await keep(next, mark) }
                return false
            }
            guard next.mayReplace(document) else {
                throw SwitchboardError(
                    .older, "version \(next.version) is older than \(document.version)", at: "version")
            }
        }
        document = next
        counters.taken += 1
        isExpired = !next.applies(at: now())
        set()
        logger.notice("switchboard", metadata: ["version": "\(next.version)", "on": "\(next.isEnabled)"])
        onChange?(state)
        isKept = false
        try await keep(next, mark)
        return true
    }

    private func keep(_ written: SwitchboardDocument, _ mark: Data) async throws {
        try await kept.write(mark + written.json)
        if written.json == document?.json { isKept = true }
    }

    /// Sees whether the document's time is over, and asks for another one, unless it was asked for a moment ago or is
    /// being asked for. Never waits.
    func check() {
        if let document, isExpired == document.applies(at: now()) {
            isExpired.toggle()
            set()
            onChange?(state)
        }
        guard let source, checking == nil, elapsed() >= nextCheck, conditions.conditions.network != .none else {
            return
        }
        counters.checks += 1
        checking = Task { [weak self, source, network, clock] in
            let answer: Result<Data, any Error>
            do {
                answer = .success(
                    try await withLimit(source.answerLimit, clock: clock, "the switchboard does not come") {
                        guard source.allowsInsecure || source.url.lowercased().hasPrefix("https://") else {
                            throw SwitchboardError(.insecure, "not https: \(source.url)")
                        }
                        return try await DocumentFetch.get(
                            source.url, source.headerFields, upTo: SwitchboardDocument.maxBytes, from: network)
                    })
            } catch {
                answer = .failure(error)
            }
            guard !Task.isCancelled else { return }
            await self?.end(answer)
        }
    }

    private func end(_ answer: Result<Data, any Error>) async {
        let check: SwitchboardCheck
        do {
            let next = try SwitchboardDocument(json: answer.get())
            let isNew = try await take(next, mark: sourceMark ?? Self.hostMark)
            check = isNew ? .taken(version: next.version) : .unchanged(version: next.version)
            nextCheck = elapsed() + (source?.interval ?? .zero)
        } catch {
            counters.failures += 1
            nextCheck = elapsed() + (source?.retryInterval ?? .zero)
            logger.warning("cannot renew the switchboard", metadata: ["error": "\(error)"])
            check = .failed(error)
        }
        checking = nil
        onCheck?(check)
    }

    /// Ends what goes on by itself, and waits for it.
    func shutDown() async {
        checking?.cancel()
        await checking?.value
    }
}

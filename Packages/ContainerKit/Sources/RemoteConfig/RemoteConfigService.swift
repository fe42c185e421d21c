// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import Logging
@_spi(Facade) internal import RemoteConfig
internal import ResourceLoading
internal import ResourceStore
internal import SchemeRouter
internal import WebEngine

/// Keeps remote config: takes documents of its server and its host, keeps the last good one on disk, and sets the
/// switches by it.
///
/// Isolation: the main actor; reading, writing and fetching happen elsewhere.
@MainActor
final class RemoteConfigService {
    /// What a kept document begins with that the host brought.
    private static let hostMark = Data("\n".utf8)
    private let source: RemoteConfigSource?
    private let network: any ResourceLoader
    private let storage: StoredDocument
    private let conditions: any HostConditioning
    private let logger: Logger
    private let rules: ActiveRules
    private let switches: FeatureSwitches
    private let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    private let now: () -> Date
    private var device = RolloutBucket()
    private var document: RemoteConfigDocument?
    private var documentAtStart: RemoteConfigDocument?
    private var isExpired = false
    /// Whether the next process will find the document.
    private var isKept = true
    private var checking: Task<Void, Never>?
    private var nextCheck = Duration.zero
    private(set) var counters = RemoteConfigCounters()
    /// Hears each change of what applies.
    var onChange: (@MainActor (RemoteConfigState) -> Void)?
    /// Hears what came of each check.
    var onCheck: (@MainActor (RemoteConfigCheck) -> Void)?

    /// - Parameters:
    ///   - network: follows redirects, and decodes.
    ///   - rules: are given the document's objections, and leave the host's as they are.
    ///   - now: the time of the wall clock.
    init(
        _ options: RemoteConfigOptions, network: any ResourceLoader, store: BlobStore,
        conditions: any HostConditioning, logger: Logger, rules: ActiveRules, switches: FeatureSwitches,
        clock: some Clock<Duration> = ContinuousClock(), now: @escaping () -> Date = { Date() }
    ) {
        source = options.source
        self.network = network
        storage = StoredDocument("switchboard", in: store)
        self.conditions = conditions
        self.logger = logger
        self.rules = rules
        self.switches = switches
        self.clock = clock
        stopwatch = Stopwatch(clock)
        self.now = now
    }

    deinit {
        checking?.cancel()
    }

    var state: RemoteConfigState {
        let applying = isExpired ? nil : document
        return RemoteConfigState(
            document: document, isExpired: isExpired, isEnabled: applying?.isEnabled ?? true,
            features: applying?.features(on: device) ?? Set(RemoteConfigFeature.allCases),
            documentAtStart: documentAtStart)
    }

    /// The numbers that the container is to be opened with.
    var numbers: RemoteConfigNumbers { documentAtStart?.numbers ?? RemoteConfigNumbers() }

    /// Takes the document that the last process kept: before there is a page, and without the network.
    func open(_ store: BlobStore) async {
        await openDevice(StoredDocument("device-bucket", in: store))
        do {
            if let bytes = try await storage.read(), let json = json(of: bytes) {
                document = try RemoteConfigDocument(json: json)
            }
        } catch {
            // The server has another one.
            logger.warning("the stored remote config cannot be read", metadata: ["error": "\(error)"])
        }
        isExpired = document.map { !$0.applies(at: now()) } ?? false
        documentAtStart = isExpired ? nil : document
        set()
    }

    private func openDevice(_ identity: StoredDocument) async {
        do {
            if let bytes = try await identity.read(),
                let known = RolloutBucket(identity: String(decoding: bytes, as: UTF8.self))
            {
                device = known
            } else {
                try await identity.write(Data(device.identity.utf8))
            }
        } catch {
            // It has another number in the next process.
            logger.warning("the device's bucket cannot be kept", metadata: ["error": "\(error)"])
        }
    }

    /// What is kept begins with where it comes from. Another server's document says nothing of what this one wants.
    private func json(of stored: Data) -> Data? {
        for mark in [Self.hostMark, sourceMark] {
            if let mark, stored.starts(with: mark) { return Data(stored.dropFirst(mark.count)) }
        }
        return nil
    }

    private var sourceMark: Data? { source.map { Data("\($0.url)\n".utf8) } }

    private func set() {
        let state = state
        switches.set(state.features)
        // What the modes say holds from one start to the next.
        var vetoes = documentAtStart.map { [$0.modeRules] } ?? []
        if !isExpired, let document { vetoes.append(document.vetoes) }
        rules.vetoes = vetoes
    }

    /// Takes a document of the host.
    /// - Throws: ``RemoteConfigError`` with code `older`; `StoreError` where it applies, but could not be kept.
    func apply(_ document: RemoteConfigDocument) async throws {
        do {
            try await apply(document, mark: Self.hostMark)
        } catch {
            counters.failures += 1
            throw error
        }
    }

    /// - Returns: whether it is another one.
    @discardableResult
    private func apply(_ next: RemoteConfigDocument, mark: Data) async throws -> Bool {
        if let document {
            guard next.json != document.json else {
                // The folder may have been out of reach before.
                if !isKept { try await keep(next, mark) }
                return false
            }
            guard next.mayReplace(document) else {
                throw RemoteConfigError(
                    .older, "version \(next.version) is older than \(document.version)", at: "version")
            }
        }
        document = next
        counters.applied += 1
        isExpired = !next.applies(at: now())
        set()
        logger.notice("remote config", metadata: ["version": "\(next.version)", "on": "\(next.isEnabled)"])
        onChange?(state)
        isKept = false
        try await keep(next, mark)
        return true
    }

    private func keep(_ written: RemoteConfigDocument, _ mark: Data) async throws {
        try await storage.write(mark + written.json)
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
        guard let source, checking == nil, stopwatch.elapsed >= nextCheck, conditions.conditions.network != .none else {
            return
        }
        counters.checks += 1
        checking = Task { [weak self, source, network, clock] in
            let answer: Result<Data, any Error>
            do {
                answer = .success(
                    try await withLimit(source.answerLimit, clock: clock, "remote config does not come") {
                        guard source.allowsInsecure || source.url.lowercased().hasPrefix("https://") else {
                            throw RemoteConfigError(.insecure, "not https: \(source.url)")
                        }
                        return try await network.document(
                            at: source.url, source.headerFields, upTo: RemoteConfigDocument.maxBytes)
                    })
            } catch {
                answer = .failure(error)
            }
            guard !Task.isCancelled else { return }
            await self?.end(answer)
        }
    }

    private func end(_ answer: Result<Data, any Error>) async {
        let check: RemoteConfigCheck
        do {
            let next = try RemoteConfigDocument(json: answer.get())
            let isNew = try await apply(next, mark: sourceMark ?? Self.hostMark)
            check = isNew ? .applied(version: next.version) : .unchanged(version: next.version)
            nextCheck = stopwatch.elapsed + (source?.interval ?? .zero)
        } catch {
            counters.failures += 1
            nextCheck = stopwatch.elapsed + (source?.retryInterval ?? .zero)
            logger.warning("cannot renew remote config", metadata: ["error": "\(error)"])
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

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import Foundation
package import Logging
package import ResourceLoading
@_spi(Facade) package import ResourceStore
package import SchemeRouter
internal import WebEngine
internal import WebSyntax

/// An event of a ``RemoteConfigService``.
package enum RemoteConfigEvent: Sendable {
    /// Another document applies, or the document has expired.
    case changed(RemoteConfigState)
    /// A request for the document has ended.
    case checked(RemoteConfigCheck)
}

/// The service that applies the documents of the server and of the host, and stores the last document on disk. It sets
/// the feature switches and the vetoes of the rules.
///
/// Isolation: the main actor; reading, writing and network transfers run on other threads.
@MainActor
package final class RemoteConfigService {
    /// The prefix of a stored document that the host provided.
    private static let hostMark = Data("\n".utf8)
    private let source: RemoteConfigSource?
    private let ruleHosts: [HostPattern]
    private let network: any ResourceLoader
    private let storage: StoredDocument
    private let identity: StoredDocument
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
    /// A Boolean value that indicates whether the document is stored for the next process.
    private var isStored = true
    private var checking: Task<Void, Never>?
    private var nextCheck = Duration.zero
    package private(set) var counters = RemoteConfigCounters()
    /// A closure that receives each event.
    package var onEvent: (@MainActor (RemoteConfigEvent) -> Void)?

    /// Creates a service. It applies no document before ``open()``.
    /// - Parameters:
    ///   - options: the options.
    ///   - network: a loader that follows redirects and decodes bodies.
    ///   - store: the store of the last document and of the device's identity.
    ///   - conditions: the host's conditions; no request is made without a network.
    ///   - logger: the logger.
    ///   - rules: the rules whose vetoes the service sets; the host's rules are not changed.
    ///   - switches: the switches that the service sets.
    ///   - clock: the clock of the intervals.
    ///   - now: a closure that returns the time of the wall clock.
    package init(
        _ options: RemoteConfigOptions, network: any ResourceLoader, store: BlobStore,
        conditions: any HostConditioning, logger: Logger, rules: ActiveRules, switches: FeatureSwitches,
        clock: some Clock<Duration> = ContinuousClock(), now: @escaping () -> Date = { Date() }
    ) {
        source = options.source
        ruleHosts = options.ruleHosts
        self.network = network
        storage = StoredDocument("switchboard", in: store)
        identity = StoredDocument("device-bucket", in: store)
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

    /// The current state.
    package var state: RemoteConfigState {
        let applying = isExpired ? nil : document
        return RemoteConfigState(
            document: document, isExpired: isExpired, isEnabled: applying?.isEnabled ?? true,
            features: applying?.features(on: device) ?? Set(RemoteConfigFeature.allCases),
            documentAtStart: documentAtStart)
    }

    /// The numbers that the container must be opened with.
    package var numbers: RemoteConfigNumbers { documentAtStart?.numbers ?? RemoteConfigNumbers() }

    /// Applies the document that the last process stored, without the network. Call this method before a page is
    /// opened.
    package func open() async {
        await openDevice()
        do {
            if let bytes = try await storage.read(), let json = json(of: bytes) {
                let stored = try RemoteConfigDocument(json: json)
                try stored.check(within: ruleHosts)
                document = stored
            }
        } catch {
            // The next check requests another document.
            logger.warning("cannot read the stored remote config", metadata: ["error": "\(error)"])
        }
        isExpired = document.map { !$0.applies(at: now()) } ?? false
        documentAtStart = isExpired ? nil : document
        setSwitches()
    }

    private func openDevice() async {
        do {
            if let bytes = try await identity.read(),
                let known = RolloutBucket(identity: String(decoding: bytes, as: UTF8.self))
            {
                device = known
            } else {
                try await identity.write(Data(device.identity.utf8))
            }
        } catch {
            // The device will have another identity in the next process.
            logger.warning("cannot store the identity of the device", metadata: ["error": "\(error)"])
        }
    }

    /// Returns the document without its prefix, which identifies the source; `nil` if it was stored for another
    /// server.
    private func json(of stored: Data) -> Data? {
        for mark in [Self.hostMark, sourceMark] {
            if let mark, stored.starts(with: mark) { return Data(stored.dropFirst(mark.count)) }
        }
        return nil
    }

    private var sourceMark: Data? { source.map { Data("\($0.url)\n".utf8) } }

    /// Sets the switches, the vetoes and the remote rules according to the current state.
    private func setSwitches() {
        let state = state
        switches.set(state.features)
        // Modes change only at launch: those of the document at the start apply, even if another document is active
        // now.
        var vetoes = documentAtStart.map { [$0.modeRules] } ?? []
        if !isExpired, let document { vetoes.append(document.vetoes) }
        rules.vetoes = vetoes
        rules.remoteRules = isExpired ? RouteRules.none : document?.rules ?? RouteRules.none
    }

    /// Applies a document of the host.
    /// - Parameter document: the document.
    /// - Throws: ``RemoteConfigError`` with code `older`, or with code `badValue` for a rule of a host that the app
    ///   does not name; `StoreError` if the document was applied but could not be stored.
    package func apply(_ document: RemoteConfigDocument) async throws {
        do {
            try await apply(document, mark: Self.hostMark)
        } catch {
            counters.failures += 1
            throw error
        }
    }

    /// Applies and stores a document.
    /// - Returns: `false` if the document was already applied.
    @discardableResult
    private func apply(_ next: RemoteConfigDocument, mark: Data) async throws -> Bool {
        try next.check(within: ruleHosts)
        if let document {
            guard next.json != document.json else {
                // The last write may have failed.
                if !isStored { try await write(next, mark) }
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
        setSwitches()
        logger.notice("remote config", metadata: ["version": "\(next.version)", "on": "\(next.isEnabled)"])
        onEvent?(.changed(state))
        isStored = false
        try await write(next, mark)
        return true
    }

    private func write(_ written: RemoteConfigDocument, _ mark: Data) async throws {
        try await storage.write(mark + written.json)
        if written.json == document?.json { isStored = true }
    }

    /// Updates the state if the document has expired, and requests the document if the interval has elapsed and no
    /// request is in progress. Returns at once.
    package func check() {
        if let document, isExpired == document.applies(at: now()) {
            isExpired.toggle()
            setSwitches()
            onEvent?(.changed(state))
        }
        guard let source, checking == nil, stopwatch.elapsed >= nextCheck, conditions.conditions.network != .none else {
            return
        }
        counters.checks += 1
        checking = Task { [weak self, source, network, clock] in
            let answer: Result<Data, any Error>
            do {
                answer = .success(
                    try await withLimit(source.answerLimit, clock: clock, "no remote config arrived in time") {
                        guard source.allowsInsecure || source.url.asciiLowercased.hasPrefix("https://") else {
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
            logger.warning("cannot update remote config", metadata: ["error": "\(error)"])
            check = .failed(error)
        }
        checking = nil
        onEvent?(.checked(check))
    }

    /// Cancels a check in progress and waits for its end.
    package func shutDown() async {
        checking?.cancel()
        await checking?.value
    }
}

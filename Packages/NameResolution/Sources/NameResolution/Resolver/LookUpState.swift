// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport
internal import WebSyntax

/// An answer that a server or the system has given.
struct LookUpAnswer: Sendable, Hashable {
    /// The addresses; empty for a negative answer.
    var addresses: [IPAddress]
    /// The source.
    var source: AnswerSource
    /// The lifetime in seconds; `nil` for an answer that must not be stored.
    var lifetime: UInt32?
    /// The other parts.
    var details = AnswerDetails()
}

/// The state of one look-up: which resolvers are asked, and which answer is used.
///
/// The servers are asked in their order; each has a head start before the next one, and the first valid answer wins. In
/// order `secureFirst`, the system is asked when all servers have failed, but not later than ``systemDelay`` after the
/// start, however many servers there are.
struct LookUpState: Sendable {
    /// The order of resolvers.
    enum Order: Sendable {
        case systemOnly, systemFirst, secureFirst, secureOnly
    }

    /// The time for which a server is asked alone.
    static let headStart = Duration.milliseconds(150)
    /// The time after which servers no longer delay the system.
    static let systemDelay = Duration.milliseconds(300)
    /// The time after which a system that is asked first counts as failed.
    static let systemLimit = Duration.seconds(2)
    /// The time for which servers delay the answer of the system, which is asked first, that a name does not exist.
    static let missingNameDelay = Duration.milliseconds(300)
    /// The time after which a look-up ends.
    static let limit = Duration.seconds(10)

    /// An event of a look-up.
    enum Event: Sendable {
        case server(Int, Result<LookUpAnswer, any Error>)
        case headStartEnded(Int)
        case system(Result<[IPAddress], any Error>)
        case systemDelayEnded
        case systemLimitReached
        case missingNameDelayEnded
        case limitReached
    }

    /// An effect that the owner of the state performs.
    enum Effect: Sendable {
        case askServer(Int)
        case startHeadStart(Int)
        case askSystem
        case startSystemDelay
        case startSystemLimit
        case startMissingNameDelay
        /// The answer of the look-up, at most once.
        case deliver(LookUpAnswer, NameAnswer.Reason)
        /// The failure of the look-up, in place of an answer.
        case fail(any Error)
        /// An answer of a server after the one of the system.
        case store(LookUpAnswer)
        /// The outcome of the servers, at most once.
        case record(SecureResolutionState.Outcome)
        case reportImplausible
    }

    private enum SystemPhase {
        case idle, asked, answered
        case failed(any Error, isImplausible: Bool)
    }

    private let host: String
    private let order: Order
    private let servers: Int
    private let isPublic: Bool
    private let translations: [TranslationPrefix]

    private var system = SystemPhase.idle
    private var nextServer = 0
    /// The number of servers that are asked now.
    private var openServers = 0
    /// The outcome of the servers, if they were asked and have ended.
    private var haveServersAnswered: Bool?
    private var serverError: (any Error)?
    private var isDelivered = false
    /// A Boolean value that indicates whether no event is expected.
    private(set) var isEnded = false

    /// Creates the state before the start.
    /// - Parameters:
    ///   - host: the host.
    ///   - order: the order of resolvers.
    ///   - servers: the number of servers.
    ///   - isPublic: a Boolean value that indicates whether addresses that are not public are implausible.
    ///   - translations: the prefixes of address translations in the network.
    init(
        host: String, order: Order, servers: Int, isPublic: Bool, translations: [TranslationPrefix] = []
    ) {
        self.host = host
        self.order = order
        self.servers = order == .systemOnly ? 0 : servers
        self.isPublic = isPublic
        self.translations = translations
    }

    /// Returns the first effects.
    mutating func start() -> [Effect] {
        switch order {
        case .systemOnly: return askSystem() + end()
        case .systemFirst: return askSystem() + (servers > 0 ? [.startSystemLimit] : [])
        case .secureFirst where servers > 0: return askNextServer() + [.startSystemDelay]
        case .secureFirst, .secureOnly: return (servers > 0 ? askNextServer() : failServers()) + end()
        }
    }

    /// Returns the effects of an event.
    mutating func receive(_ event: Event) -> [Effect] {
        guard !isEnded else { return [] }
        switch event {
        case .server(let index, .success(let answer)): return receive(answer, from: index) + end()
        case .server(_, .failure(let error)): return receiveServerError(error) + end()
        case .headStartEnded(let index):
            guard index == nextServer - 1, haveServersAnswered == nil else { return [] }
            return askNextServer()
        case .system(.success(let addresses)): return receive(addresses) + end()
        case .system(.failure(let error)): return failSystem(error) + end()
        case .systemDelayEnded: return haveServersAnswered == nil ? askSystem() : []
        case .systemLimitReached:
            guard case .asked = system, nextServer == 0 else { return [] }
            return askNextServer()
        case .missingNameDelayEnded:
            // A later answer of a server is for the next callers.
            guard !isDelivered, haveServersAnswered == nil else { return [] }
            isDelivered = true
            return [.fail(failure)]
        case .limitReached:
            let error = NameResolutionError(.timedOut, "no answer in \(Self.limit)", at: host)
            var effects: [Effect] = []
            if case .asked = system { effects += failSystem(error) }
            if haveServersAnswered == nil, nextServer > 0 {
                openServers = 0
                nextServer = servers
                serverError = serverError ?? error
                effects += failServers()
            }
            return effects + end()
        }
    }

    // MARK: Servers

    private mutating func askNextServer() -> [Effect] {
        guard nextServer < servers, haveServersAnswered == nil else { return [] }
        let index = nextServer
        nextServer += 1
        openServers += 1
        return [.askServer(index)] + (nextServer < servers ? [.startHeadStart(index)] : [])
    }

    private mutating func receive(_ answer: LookUpAnswer, from index: Int) -> [Effect] {
        guard haveServersAnswered == nil else { return [] }
        if case .implausible(let address, _) = check(answer.addresses) {
            return [.reportImplausible] + receiveServerError(implausible(address))
        }
        haveServersAnswered = true
        // A caller has the addresses or the error of the system. They are better than a later answer without addresses.
        guard !isDelivered else { return [.record(.answered)] + (answer.addresses.isEmpty ? [] : [.store(answer)]) }
        isDelivered = true
        let reason: NameAnswer.Reason =
            switch system {
            case .failed(_, isImplausible: true): .implausibleSystemAnswer
            case .failed, .asked: order == .systemFirst ? .systemFailed : .answeredByServer
            case .idle, .answered: .answeredByServer
            }
        return [.record(.answered), .deliver(answer, reason)]
    }

    private mutating func receiveServerError(_ error: any Error) -> [Effect] {
        guard haveServersAnswered == nil else { return [] }
        openServers -= 1
        serverError = error
        let next = askNextServer()
        guard next.isEmpty, openServers == 0 else { return next }
        return failServers()
    }

    private mutating func failServers() -> [Effect] {
        haveServersAnswered = false
        return askSystem()
    }

    // MARK: System

    private mutating func askSystem() -> [Effect] {
        guard case .idle = system, order != .secureOnly else { return [] }
        system = .asked
        return [.askSystem]
    }

    private mutating func receive(_ addresses: [IPAddress]) -> [Effect] {
        guard case .asked = system else { return [] }
        switch check(addresses) {
        case .empty: return failSystem(NameResolutionError(.noSuchName, "no address", at: host))
        case .implausible(let address, _):
            return [.reportImplausible] + failSystem(implausible(address), isImplausible: true)
        case .plausible: break
        }
        system = .answered
        guard !isDelivered, haveServersAnswered != true else { return [] }
        isDelivered = true
        let answer = LookUpAnswer(
            addresses: addresses, source: .system, lifetime: Self.systemLifetime)
        return [.deliver(answer, order == .secureFirst || haveServersAnswered == false ? .serversFailed : .system)]
    }

    /// The lifetime of the system's answers in seconds, because the system reports none.
    private static let systemLifetime: UInt32 = 60

    private mutating func failSystem(_ error: any Error, isImplausible: Bool = false) -> [Effect] {
        guard case .asked = system else { return [] }
        system = .failed(error, isImplausible: isImplausible)
        guard order == .systemFirst, nextServer == 0 else { return [] }
        let isMissing = (error as? NameResolutionError)?.code == .noSuchName
        return askNextServer() + (isMissing ? [.startMissingNameDelay] : [])
    }

    // MARK: End

    /// Ends the look-up if no resolver can change its result.
    private mutating func end() -> [Effect] {
        let isSystemOpen = if case .asked = system { true } else { false }
        guard haveServersAnswered != nil || nextServer == 0 else { return [] }
        guard !isSystemOpen || haveServersAnswered == true else { return [] }
        isEnded = true
        var effects: [Effect] = []
        if haveServersAnswered == false, nextServer > 0 {
            let hasSystemAnswered = if case .answered = system { true } else { false }
            effects.append(.record(hasSystemAnswered ? .failed : .unreachable))
        }
        if !isDelivered { effects.append(.fail(failure)) }
        return effects
    }

    /// The error of a look-up without an answer. An answer of the system that the name does not exist is definite.
    private var failure: any Error {
        guard case .failed(let error, _) = system else {
            return serverError ?? NameResolutionError(.noSuchName, "no resolver", at: host)
        }
        if (error as? NameResolutionError)?.code == .noSuchName { return error }
        return serverError ?? error
    }

    private func check(_ addresses: [IPAddress]) -> SystemAnswerCheck.Result {
        SystemAnswerCheck.check(addresses, isPublic: isPublic, translations: translations)
    }

    private func implausible(_ address: IPAddress) -> NameResolutionError {
        NameResolutionError(.implausibleAnswer, "the address \(address) for a public host", at: host)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import WebSyntax

@testable import NameResolution

/// Servers of DNS over HTTPS that answer from one zone.
final class ZoneLoader: ResourceLoader {
    /// The behaviour of a server.
    enum Behaviour: Sendable {
        /// Answers from the zone.
        case answers
        /// Never answers, until the request is cancelled.
        case stalls
        /// Answers questions for IPv4 addresses only, and the others never.
        case stallsIPv6
        /// Responds with a status.
        case status(Int)
        /// Answers a question with bytes.
        case bytes(@Sendable (DNSQuestion) -> [UInt8])
    }

    struct Request: Sendable, Hashable {
        let server: String
        let host: String
        let type: RecordType
    }

    private struct State {
        var records: [TestMessage.Record] = []
        var zone: TestMessage.Record?
        var missing: Set<String> = []
        var behaviours: [String: Behaviour] = [:]
        var requests: [Request] = []
        var cancelled = 0
    }

    /// A gate that each request passes before its answer.
    let gate = CallGate()
    private let state = Mutex(State())

    /// The requests in their order.
    var requests: [Request] { state.withLock { $0.requests } }
    /// The hosts of the servers that were asked, in their order.
    var servers: [String] {
        requests.reduce(into: []) { if !$0.contains($1.server) { $0.append($1.server) } }
    }
    /// The number of requests that were cancelled.
    var cancelled: Int { state.withLock { $0.cancelled } }

    /// Replaces the records of the zone.
    /// - Parameters:
    ///   - zone: the record of negative answers.
    ///   - missing: the names that do not exist.
    func set(_ records: [TestMessage.Record], zone: TestMessage.Record? = nil, missing: Set<String> = []) {
        state.withLock { state in
            state.records = records
            state.zone = zone
            state.missing = missing
        }
    }

    /// Changes the behaviour of a server.
    func set(_ behaviour: Behaviour, of server: String) { state.withLock { $0.behaviours[server] = behaviour } }

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let server = request.head.authority ?? ""
        let question = try await question(of: request)
        let behaviour = state.withLock { state in
            state.requests.append(Request(server: server, host: question.name.description, type: question.type))
            return state.behaviours[server] ?? .answers
        }
        await gate.pass()
        switch behaviour {
        case .answers: return response(answer(to: question))
        case .stallsIPv6 where question.type == .a: return response(answer(to: question))
        case .bytes(let bytes): return response(bytes(question))
        case .status(let code): return response([], status: code)
        case .stalls, .stallsIPv6:
            let (never, source) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            withExtendedLifetime(source) {}
            state.withLock { $0.cancelled += 1 }
            throw CancellationError()
        }
    }

    private func question(of request: ResourceRequest) async throws -> DNSQuestion {
        var message = try await request.body.collect(upTo: 1_000)
        if message.isEmpty, let path = request.head.path, let start = path.range(of: "?dns=") {
            var text = path[start.upperBound...].replacing("-", with: "+").replacing("_", with: "/")
            text += String(repeating: "=", count: (4 - text.count % 4) % 4)
            message = Data(base64Encoded: String(text)) ?? Data()
        }
        var reader = MessageReader([UInt8](message))
        _ = try reader.readOctets(MessageReader.headerOctets)
        let name = try reader.readName()
        return DNSQuestion(name: name, type: RecordType(rawValue: try reader.readUInt16()) ?? .opt)
    }

    private func answer(to question: DNSQuestion) -> [UInt8] {
        state.withLock { state in
            let host = question.name.description
            var message = TestMessage(host, type: question.type.rawValue)
            var owners = [TestMessage.name(host)]
            for record in state.records where owners.contains(record.owner) {
                guard record.type == question.type.rawValue || record.type == RecordType.cname.rawValue else {
                    continue
                }
                message.answers.append(record)
                if record.type == RecordType.cname.rawValue { owners.append(record.data) }
            }
            if message.answers.isEmpty, let zone = state.zone { message.authorities = [zone] }
            if state.missing.contains(host) { message.flags |= 3 }
            return message.bytes
        }
    }

    private func response(_ bytes: [UInt8], status: Int = 200) -> ResourceResponse {
        ResourceResponse(
            head: HTTPResponse(
                status: .init(code: status), headerFields: [.contentType: "application/dns-message"]),
            body: .bytes(Data(bytes)), provenance: Provenance(.network, reason: "test"))
    }
}

/// A resolver of the system that knows some names.
final class SystemBook: SystemNameResolving {
    private struct State {
        var entries: [String: [IPAddress]] = [:]
        var calls: [(host: String, time: Duration)] = []
    }

    /// A gate that each call passes.
    let gate = CallGate()
    private let clock: ManualClock
    private let state = Mutex(State())

    init(clock: ManualClock) { self.clock = clock }

    /// The names of all calls.
    var hosts: [String] { state.withLock { $0.calls.map(\.host) } }
    /// The times of all calls.
    var times: [Duration] { state.withLock { $0.calls.map(\.time) } }

    func set(_ addresses: [IPAddress]?, of host: String) { state.withLock { $0.entries[host] = addresses } }

    func addresses(of host: String) async throws -> [IPAddress] {
        let time = ManualClock.Instant().duration(to: clock.now)
        state.withLock { $0.calls.append((host, time)) }
        await gate.pass()
        guard let addresses = state.withLock({ $0.entries[host] }) else {
            throw NameResolutionError(.noSuchName, "unknown", at: host)
        }
        return addresses
    }
}

/// A resolver with two servers, a manual clock and doubles.
final class ResolverFixture: Sendable {
    static let first = "192.0.2.53"
    static let second = "192.0.2.54"

    let clock = ManualClock()
    let loader = ZoneLoader()
    let system: SystemBook
    let feature = FeatureSwitch()
    let resolver: NameResolver
    private let recorded = Recorded()

    /// The events in their order.
    var events: [NameLookupEvent] { recorded.events.withLock { $0 } }

    private final class Recorded: Sendable {
        let events = Mutex<[NameLookupEvent]>([])
    }

    /// Creates a resolver.
    /// - Parameters:
    ///   - order: the order for all hosts.
    ///   - servers: the number of servers.
    ///   - publicHosts: the hosts of the public internet.
    ///   - usesSystem: a Boolean value that indicates whether there is a resolver of the system.
    init(
        _ order: ResolutionOrder = .secureFirst, servers: Int = 2, publicHosts: [String] = [],
        rules orders: [String: ResolutionOrder] = [:], method: NameServer.Method = .get, usesSystem: Bool = true
    ) throws {
        system = SystemBook(clock: clock)
        let (recorded, clock) = (recorded, clock)
        var rules = ResolutionRules()
        rules.defaultOrder = order
        for host in publicHosts { try rules.requirePublicAddresses(for: host) }
        for (host, order) in orders { try rules.use(order, for: host) }
        let urls = [Self.first, Self.second, "192.0.2.55", "192.0.2.56"].prefix(servers).map { "https://\($0)/q" }
        resolver = NameResolver(
            .init(servers: try urls.map { .doh(try ResolverServer(url: $0), method: method) }, rules: rules),
            loader: loader,
            system: usesSystem ? system : nil, feature: feature, clock: clock,
            date: {
                let time = ManualClock.Instant().duration(to: clock.now)
                return Date(timeIntervalSince1970: 1_000_000 + Double(time.components.seconds))
            },
            onEvent: { event in recorded.events.withLock { $0.append(event) } })
    }
}

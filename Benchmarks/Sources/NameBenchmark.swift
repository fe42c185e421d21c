// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import BaseTesting
internal import CommandSupport
internal import Foundation
internal import HTTPTypes
internal import NameResolution
internal import ResourceLoading
internal import WebSyntax

/// Measures the cache of resolved names: the time of a cached name against a locked dictionary, the memory of many
/// names, and what names that were resolved ahead save.
struct NameBenchmark {
    private static let names = 10_000
    private static let lookUps = 10_000
    private static let firstLookUps = 200
    private static let delay = Duration.milliseconds(120)
    private static let pageHosts = (1...5).map { "page-\($0).example" }
    let rounds: Int

    func run() async throws -> [Comparison] {
        CommandOutput.log("names: memory and look-ups of \(Self.names) names")
        let hosts = (0..<Self.names).map { "host-\($0).site-\($0 % 97).example" }
        // The first look-ups create what all resolvers share: threads with their heaps, and pages of code.
        try await fill(resolver(after: .zero, clock: ManualClock()), Array(hosts.prefix(Self.firstLookUps)))
        guard let memory = MemoryPeak() else { return [] }
        // A cancelled timer of the system stays in memory until its time: 10 seconds for a look-up.
        let resolver = try resolver(after: .zero, clock: ManualClock())
        try await fill(resolver, hosts)
        let growth = withExtendedLifetime(resolver) { memory.growth ?? 0 }
        return [
            Comparison(
                name: "memory of \(Self.names) names with 4 addresses", reference: "–", ours: growth, theirs: nil,
                unit: "MB", bar: 8),
            try await compare(hosts),
        ] + (try await pages())
    }

    private func fill(_ resolver: NameResolver, _ hosts: [String]) async throws {
        for host in hosts where try await resolver.addresses(of: host).count != 4 { throw Failure() }
    }

    // MARK: Cached names

    /// Compares the addresses of cached names in random order with those of a dictionary that a lock protects.
    private func compare(_ hosts: [String]) async throws -> Comparison {
        let resolver = try resolver(after: .zero)
        try await fill(resolver, hosts)
        let entries = try hosts.map { host in
            guard let addresses = resolver.knownAddresses(of: host) else { throw Failure() }
            return (host, addresses)
        }
        let dictionary = Mutex(Dictionary(uniqueKeysWithValues: entries))
        var random = SeededGenerator(seed: 41)
        let asked = (0..<Self.lookUps).compactMap { _ in hosts.randomElement(using: &random) }
        var ours: [Double] = []
        var theirs: [Double] = []
        // Many short measurements: the median is without those that other work interrupts.
        for _ in 0..<max(rounds, 3) * 10 {
            ours.append(
                try Stopwatch.seconds {
                    for host in asked where resolver.knownAddresses(of: host)?.count != 4 { throw Failure() }
                })
            theirs.append(
                try Stopwatch.seconds {
                    for host in asked where dictionary.withLock({ $0[host] })?.count != 4 { throw Failure() }
                })
        }
        let scale = 1_000_000_000 / Double(Self.lookUps)
        return Comparison(
            name: "addresses of a cached name", reference: "dictionary with a lock",
            ours: Stopwatch.median(ours) * scale, theirs: Stopwatch.median(theirs) * scale, unit: "ns", bar: 2)
    }

    // MARK: Names resolved ahead

    /// Compares the look-ups on the way of a page, one host after the other, with and without names resolved ahead.
    private func pages() async throws -> [Comparison] {
        CommandOutput.log("names: five hosts resolved ahead, and on the way")
        var ours: [Double] = []
        var theirs: [Double] = []
        var lookUps = 0
        for _ in 0..<max(rounds, 3) {
            theirs.append(try await page(resolver(after: Self.delay)).seconds)
            let prepared = try resolver(after: Self.delay)
            prepared.prepare(Self.pageHosts)
            await prepared.prepared()
            let (seconds, count) = try await page(prepared)
            ours.append(seconds)
            lookUps += count
        }
        let milliseconds = Int(Self.delay / .milliseconds(1))
        return [
            Comparison(
                name: "look-ups on the way of a page, \(Self.pageHosts.count) hosts resolved ahead", reference: "–",
                ours: Double(lookUps), theirs: nil, unit: "look-ups", bar: 0),
            Comparison(
                name: "wait of that page for a resolver of \(milliseconds) ms", reference: "nothing resolved ahead",
                ours: Stopwatch.median(ours) * 1_000, theirs: Stopwatch.median(theirs) * 1_000, unit: "ms", bar: nil),
        ]
    }

    /// Resolves the hosts of the page as a connector does.
    /// - Returns: the time, and the number of hosts that needed a look-up.
    private func page(_ resolver: NameResolver) async throws -> (seconds: Double, lookUps: Int) {
        var lookUps = 0
        let seconds = try await Stopwatch.seconds {
            for host in Self.pageHosts where resolver.knownAddresses(of: host) == nil {
                lookUps += 1
                guard try await resolver.addresses(of: host).count == 4 else { throw Failure() }
            }
        }
        return (seconds, lookUps)
    }

    /// Returns a resolver whose server answers after a time.
    private func resolver(
        after delay: Duration, clock: some Clock<Duration> = ContinuousClock()
    ) throws -> NameResolver {
        let server = try ResolverServer(url: "https://dns.example/")
        var rules = ResolutionRules()
        rules.defaultOrder = .secureFirst
        return NameResolver(
            NameResolver.Configuration(servers: [.httpDNS(TencentDialect(server: server, token: "-"))], rules: rules),
            loader: AddressService(delay: delay), system: nil, clock: clock)
    }
}

/// A service for HTTPDNS that has two IPv4 and two IPv6 addresses for each host.
private struct AddressService: ResourceLoader {
    let delay: Duration

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        if delay > .zero { try await Task.sleep(for: delay) }
        // Each host has addresses of its own.
        let number = request.head.path?.utf8.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) } ?? 0
        let (high, low) = (number >> 8 & 0xFF, number & 0xFF)
        let text =
            "198.51.\(high).\(low);198.52.\(high).\(low),600-"
            + "2001:db8:1:\(high)::\(low);2001:db8:2:\(high)::\(low),600"
        return ResourceResponse(
            head: HTTPResponse(status: .ok), body: .bytes(Data(text.utf8)),
            provenance: Provenance(.network, reason: "addresses"))
    }
}

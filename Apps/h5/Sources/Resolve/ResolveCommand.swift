// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import NameResolution
internal import ResourceLoading
internal import WebSyntax

/// The command `h5 resolve`, which resolves hosts by servers for DNS over HTTPS.
struct ResolveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Resolves hosts by DNS over HTTPS, by these servers only.",
        discussion: """
            The servers are queried in their order; the next one if a server fails or is slow. The system's resolver \
            is used for the names of servers without --bootstrap only, and not for the hosts. A host without addresses \
            is a result, with status NXDOMAIN or NODATA. The first host without an answer ends the command: 69 if no \
            server can be reached or all report a failure, 65 if an answer is malformed or for another question.

            Prints a line for each answer: host, status, addresses, aliases, time to live, state of the cache (miss, \
            fresh, stale, negative), reason. With --json, prints {"addresses", "aliases", "cache", "host", "ms", \
            "reason", "server", "source", "status", "ttl"}: addresses are {"address", "family", "origin"}, and the \
            cache is {"ageMs", "state"}.
            """)

    @Argument(help: ArgumentHelp("The hosts.", valueName: "host"))
    var hosts: [String]

    @Option(
        help: ArgumentHelp(
            "The https URL of a server, such as https://dns.example/dns-query. Repeatable.", valueName: "url"),
        transform: ResolverServer.argument)
    var server: [ResolverServer]

    @Option(
        help: ArgumentHelp(
            "An address of the host of a server, so that the system does not resolve it. Repeatable.",
            valueName: "host=address"),
        transform: ServerAddress.argument)
    var bootstrap: [ServerAddress] = []

    @Option(
        help: ArgumentHelp(
            "A file of certificates in PEM that are trusted for the servers, in addition to the system's.",
            valueName: "file"))
    var authority: String?

    @Flag(help: "Send queries by POST instead of GET.")
    var post = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of times that each host is resolved, to show the cache.", valueName: "n"),
        transform: NumberOption.integer("a number of times", in: 1...1_000))
    var `repeat` = 1

    @Flag(help: "Print each answer as a line of JSON.")
    var json = false

    func validate() throws {
        let maxServers = NameResolver.Configuration.maxServers
        guard (1...maxServers).contains(server.count) else {
            throw ValidationError("the number of --server is 1 to \(maxServers)")
        }
        for entry in bootstrap where !server.contains(where: { $0.authority.host == entry.host }) {
            throw ValidationError("no --server has the host of the bootstrap address: \(entry.host)")
        }
    }

    func run() async throws {
        let servers = try server.map { server in
            let addresses = bootstrap.filter { $0.host == server.authority.host }.map(\.address)
            return try ResolverServer(url: server.url, addresses: addresses.map(\.description))
        }
        try await ServerTransport.with(servers, authority: authority) { loader in
            let resolver = NameResolver(
                NameResolver.Configuration(servers: servers.map { .doh($0, method: post ? .post : .get) }),
                loader: loader,
                system: nil)
            for host in hosts {
                for _ in 0..<`repeat` { try await resolve(host, by: resolver) }
            }
        }
    }

    private func resolve(_ host: String, by resolver: NameResolver) async throws {
        let start = ContinuousClock.now
        let answer: NameAnswer
        do {
            answer = try await resolver.answer(for: host)
        } catch let error as ResourceError {
            let status: ExitStatus = error.code == .tooLarge ? .badInput : .unavailable
            throw CommandError(status, code: "\(error.code)", error.message, at: error.location)
        }
        let output = ResolveOutput(answer, after: start.duration(to: .now))
        if json {
            try CommandOutput.result(json: output)
        } else {
            try CommandOutput.result(output.text)
        }
    }
}

extension CommandError {
    /// Creates a command error with the exit status for a failed look-up.
    init(_ error: NameResolutionError) {
        let status: ExitStatus =
            switch error.code {
            case .invalidName, .invalidServer: .usage
            case .badMessage, .otherQuestion, .truncated, .tooManyAliases, .badResponse, .tooLarge: .badInput
            default: .unavailable
            }
        self.init(status, code: "\(error.code)", error.message, at: error.location)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The client of one server: sends the requests of a look-up, and combines their answers.
struct ServerClient: Sendable {
    /// The maximum number of names that are asked for a host, because an answer has only an alias.
    static let maxNames = 4

    /// The server.
    let server: NameServer
    /// The index of the server in the configuration.
    let index: UInt8
    /// The loader of requests.
    let loader: any ResourceLoader
    /// The time for which the addresses of one family wait for those of the other; `nil` for no limit.
    let familyDelay: Duration?
    /// The clock of the times between questions.
    let clock: any Clock<Duration>

    /// The time limit of the question for an HTTPS record, which few names have.
    private static let serviceLimit = Duration.milliseconds(300)

    /// Returns the addresses of a host.
    /// - Throws: ``NameResolutionError``; the errors of the loader; the error of signing.
    @concurrent
    func answer(for host: String) async throws -> LookUpAnswer {
        switch server {
        case .doh(let server, let method): try await dohAnswer(for: host, server, method)
        case .httpDNS(let dialect): try await httpDNSAnswer(for: host, dialect)
        }
    }

    private func httpDNSAnswer(for host: String, _ dialect: any HTTPDNSDialect) async throws -> LookUpAnswer {
        let (head, body) = try await load(
            ResourceRequest(dialect.request(for: host), credentials: .omit), upTo: HTTPDNSAnswer.maxBytes)
        guard head.status == .ok else {
            throw NameResolutionError(.badResponse, "status \(head.status.code)", at: host)
        }
        let answer = try dialect.answer(in: body, for: host)
        // A negative answer without a time to live must not be stored.
        let isStored = !answer.addresses.isEmpty || answer.timeToLive > 0
        return LookUpAnswer(
            addresses: answer.addresses, source: .httpDNS,
            lifetime: isStored ? UInt32(clamping: answer.timeToLive) : nil, details: AnswerDetails(server: index))
    }

    // MARK: DNS over HTTPS

    private func dohAnswer(
        for host: String, _ server: ResolverServer, _ method: NameServer.Method
    ) async throws -> LookUpAnswer {
        var name = try DomainName(host: host)
        var details = AnswerDetails(server: index)
        // The lowest lifetime of the aliases that were followed from one question to the next.
        var lifetime = UInt32.max
        for _ in 0..<Self.maxNames {
            var responses = try await addressResponses(for: name, server, method)
            details.isNameError = responses.contains { $0.answer.isNameError }
            let aliases = responses.map(\.answer.aliases).max { $0.count < $1.count } ?? []
            details.aliases += aliases.map(\.description)
            var service: DoHResponse?
            if !details.isNameError, responses.allSatisfy({ $0.answer.addresses.isEmpty }) {
                service = await serviceResponse(for: name, server, method)
                details.usesHints = true
            }
            if let next = Self.onlyAlias(responses, service, of: name) {
                if details.aliases.last != next.description { details.aliases.append(next.description) }
                name = next
                lifetime = min(lifetime, service?.lifetime ?? 0)
                continue
            }
            if let service { responses.append(service) }
            let found = HostAddresses(responses)
            details.usesHints = details.usesHints && !found.addresses.isEmpty
            return LookUpAnswer(
                addresses: found.addresses, source: .doh, lifetime: found.lifetime.map { min($0, lifetime) },
                details: details)
        }
        throw NameResolutionError(.tooManyAliases, "more than \(Self.maxNames) incomplete answers", at: host)
    }

    private enum FamilyEvent: Sendable {
        case response(RecordType, Result<DoHResponse, any Error>)
        case delayEnded
    }

    /// Asks for IPv6 and IPv4 addresses at the same time. Addresses of one family do not wait long for the other.
    /// - Returns: the responses of the questions that were answered, first that for IPv6.
    /// - Throws: the error of a question, if the other has no addresses: a negative answer needs both.
    private func addressResponses(
        for name: DomainName, _ server: ResolverServer, _ method: NameServer.Method
    ) async throws -> [DoHResponse] {
        let types = [RecordType.aaaa, .a]
        let results = await withTaskGroup(of: FamilyEvent.self) { group in
            for type in types {
                group.addTask {
                    do {
                        let question = DNSQuestion(name: name, type: type)
                        return .response(type, .success(try await response(to: question, server, method)))
                    } catch {
                        return .response(type, .failure(error))
                    }
                }
            }
            var results: [RecordType: Result<DoHResponse, any Error>] = [:]
            while results.count < types.count, case .response(let type, let result)? = await group.next() {
                results[type] = result
                guard let familyDelay, results.count == 1, (try? result.get())?.answer.addresses.isEmpty == false
                else { continue }
                group.addTask {
                    try? await clock.sleep(for: familyDelay)
                    return .delayEnded
                }
            }
            group.cancelAll()
            return types.compactMap { results[$0] }
        }
        let answered = results.compactMap { try? $0.get() }
        if !answered.contains(where: { !$0.answer.addresses.isEmpty }) {
            for result in results { _ = try result.get() }
        }
        return answered
    }

    /// Returns the answer to the question for an HTTPS record; `nil` if there is none in time.
    private func serviceResponse(
        for name: DomainName, _ server: ResolverServer, _ method: NameServer.Method
    ) async -> DoHResponse? {
        let task = Task { try? await response(to: DNSQuestion(name: name, type: .https), server, method) }
        defer { task.cancel() }
        return await task.value(within: Self.serviceLimit, clock: clock) ?? nil
    }

    /// Returns the name that answers without addresses are an alias of: the target of an HTTPS record (RFC 9460,
    /// section 2.4.2), or the end of the aliases if no answer has a record of that name or of its zone.
    private static func onlyAlias(
        _ responses: [DoHResponse], _ service: DoHResponse?, of name: DomainName
    ) -> DomainName? {
        guard responses.allSatisfy({ $0.answer.addresses.isEmpty && !$0.answer.isNameError }) else { return nil }
        if let record = service?.answer.services.first {
            return record.isAlias && record.target != .root && record.target != name ? record.target : nil
        }
        let answers = responses.map(\.answer)
        guard let end = answers.first?.name, end != name, end != .root,
            answers.allSatisfy({ $0.name == end && $0.timeToLive == nil })
        else { return nil }
        return end
    }

    private func response(
        to question: DNSQuestion, _ server: ResolverServer, _ method: NameServer.Method
    ) async throws -> DoHResponse {
        let request = DoHRequest(question, to: server, method: method)
        let body = request.body.map { ResourceBody.bytes(Data($0)) } ?? .empty
        let (head, bytes) = try await load(
            ResourceRequest(request.head, body: body, credentials: .omit), upTo: AnswerMessage.Limits.octets)
        return try DoHResponse(head, body: bytes, to: question)
    }

    /// Sends a request and reads the body of the response. Redirects are not followed.
    private func load(_ request: ResourceRequest, upTo limit: Int) async throws -> (HTTPResponse, [UInt8]) {
        var request = request
        request.followsRedirects = false
        guard let response = try await loader.load(request) else {
            throw NameResolutionError(.badResponse, "no response", at: server.server.url)
        }
        // The body of an error is not read.
        guard response.head.status.kind == .successful else { return (response.head, []) }
        return (response.head, [UInt8](try await response.body.collect(upTo: limit)))
    }
}

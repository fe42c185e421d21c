// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

extension CachingLoader {
    /// How often a request looks at the store again because something changed meanwhile, before it goes its own way.
    private static let attempts = 4

    static let fresh = "fresh"

    private static let failing = "stale, since the origin fails"

    private static let unreachable = "stale, since the origin is out of reach"

    /// Answers GET.
    func answer(_ request: ResourceRequest, _ key: CacheKey) async throws -> ResourceResponse? {
        var mayShare = policy.mayShare(request.head)
        for attempt in 1...Self.attempts {
            let (candidates, ended) = await storedResponses(for: key)
            let validated: StoredResponse?
            switch policy.decide(request.head, candidates: candidates, now: now()) {
            case .use(let stored):
                if let answer = await respond(with: stored, to: request, key, Self.fresh) { return answer }
                await store.remove(key, variant: stored.variant)
                continue
            case .useAndRevalidate(let stored):
                guard let answer = await respond(with: stored, to: request, key, "stale, being validated") else {
                    await store.remove(key, variant: stored.variant)
                    continue
                }
                revalidate(stored, request, key, seen: ended)
                return answer
            case .gatewayTimeout: return gatewayTimeout("only a stored response is wanted")
            case .validate(let stored): validated = stored
            case .forward: validated = nil
            }
            guard mayShare else { return try await fly(request, key, validating: validated) }
            let seen = attempt < Self.attempts ? ended : nil
            switch flights.enter(key, readAhead: configuration.readAhead, seen: seen) {
            case .leads(let reader):
                start(reader.flight, request, key, validating: validated)
                return try await finish(request, key, validating: validated, reader, isLeader: true)
            case .joins(let reader):
                if let answer = try await join(request, key, validating: validated, reader) { return answer.response }
                mayShare = false
            case .ending(let flight): await flight.done()
            case .closed: mayShare = false
            case .isOutdated: break
            }
        }
        return try await fly(request, key, validating: nil)
    }

    /// Returns the responses stored under a key. A response that has been received completely counts as stored: if it is
    /// still being stored, the store is asked again after that, so that the next request never overtakes it.
    /// - Returns: The responses, and the number of flights that had ended before the store was asked.
    private func storedResponses(for key: CacheKey) async -> (responses: [StoredResponse], ended: UInt64) {
        for _ in 1..<Self.attempts {
            let ended = flights.ended
            let responses = await store.responses(for: key)
            if let flight = flights.ending(key, notAmong: responses) {
                await flight.done()
            } else if !flights.hasEnded(key, since: ended) {
                return (responses, ended)
            }
        }
        let ended = flights.ended
        return (await store.responses(for: key), ended)
    }

    /// Answers HEAD, from what GET stored or by asking (RFC 9111, section 4.3.5).
    func answerHead(_ request: ResourceRequest, _ key: CacheKey) async throws -> ResourceResponse? {
        let (candidates, _) = await storedResponses(for: key)
        var validated: StoredResponse?
        switch policy.decide(request.head, candidates: candidates, now: now()) {
        case .use(let stored), .useAndRevalidate(let stored):
            if let answer = await respond(with: stored, to: request, key, Self.fresh) { return answer }
        case .gatewayTimeout: return gatewayTimeout("only a stored response is wanted")
        case .validate(let stored): validated = stored
        case .forward: break
        }
        let requestTime = now()
        let response: ResourceResponse
        do {
            guard let found = try await next.load(request) else { return nil }
            response = found
        } catch {
            try Task.checkCancellation()
            guard let validated,
                policy.mayAnswer(request.head, withStale: validated, isUnreachable: true, now: now()),
                let answer = await respond(with: validated, to: request, key, Self.unreachable)
            else { throw error }
            return answer
        }
        if let validated, response.head.status.isOriginError,
            policy.mayAnswer(request.head, withStale: validated, isUnreachable: false, now: now()),
            let answer = await respond(with: validated, to: request, key, Self.failing)
        {
            return answer
        }
        count { $0.misses += 1 }
        guard response.head.status == .ok else { return response }
        for stored in candidates where stored.isComplete && Vary.matches(stored.selectors, request.head) {
            if let fresh = policy.freshened(
                stored, byHead: response.head, requestTime: requestTime, responseTime: now()), policy.mayKeep(fresh)
            {
                await store.update(fresh, for: key)
            } else {
                await store.remove(key, variant: stored.variant)
            }
        }
        return response
    }

    /// Passes on a request that changes something (RFC 9111, section 4.4).
    func change(_ request: ResourceRequest, _ key: CacheKey) async throws -> ResourceResponse? {
        let requestTime = now()
        guard let response = try await next.load(request) else { return nil }
        await invalidate(by: response.head, to: request.head, key.partition)
        let responseTime = now()
        guard
            let stored = policy.storable(
                response.head, to: request.head, requestTime: requestTime, responseTime: responseTime,
                length: response.body.length)
        else { return response }
        let flight = Flight(readAhead: configuration.readAhead)
        let reader = flight.makeReader()
        flights.add(flight, for: key)
        start(flight, key) { [self] in await deliver(response, stored, key, flight) }
        return try await finish(request, key, validating: nil, reader, isLeader: true)
    }

    /// Removes what an answer shows to be wrong.
    func invalidate(by response: HTTPResponse, to request: HTTPRequest, _ partition: String) async {
        for url in Invalidation.urls(after: response, to: request) {
            let key = CacheKey(partition: partition, url: url)
            flights.doom(key)
            await store.remove(key, variant: nil)
        }
    }

    /// Asks for a request alone.
    private func fly(
        _ request: ResourceRequest, _ key: CacheKey, validating stored: StoredResponse?
    ) async throws -> ResourceResponse? {
        let flight = Flight(readAhead: configuration.readAhead)
        let reader = flight.makeReader()
        flights.add(flight, for: key)
        start(flight, request, key, validating: stored)
        return try await finish(request, key, validating: stored, reader, isLeader: true)
    }

    /// Validates a stored response without letting anyone wait, unless that is under way or was done since.
    /// - Parameter seen: how many flights had ended when the store was asked.
    private func revalidate(_ stored: StoredResponse, _ request: ResourceRequest, _ key: CacheKey, seen: UInt64) {
        var request = request
        for name in [HTTPField.Name.range, .ifRange, .ifNoneMatch, .ifModifiedSince] {
            request.head.headerFields[name] = nil
        }
        background.run { [self, request] in
            // Its reader is gone by then, so that a flight nobody waits for ends where this was cancelled.
            guard let flight = await pull(stored, request, key, seen: seen), !Task.isCancelled || flight.isOver else {
                // Another's reader may have joined it, which is not waited for at the end.
                return
            }
            await flight.done()
        }
    }

    /// Asks whether a stored response is still right, and pulls the answer into the store.
    /// - Returns: the flight that did it, `nil` where there was none to begin.
    private func pull(_ stored: StoredResponse, _ request: ResourceRequest, _ key: CacheKey, seen: UInt64) async
        -> Flight?
    {
        var stored = stored
        var place = flights.enter(key, readAhead: configuration.readAhead, seen: seen)
        if case .isOutdated = place {
            let (candidates, _) = await storedResponses(for: key)
            guard
                case .useAndRevalidate(let current) = policy.decide(
                    request.head, candidates: candidates, now: now())
            else { return nil }
            stored = current
            place = flights.enter(key, readAhead: configuration.readAhead, seen: nil)
        }
        guard case .leads(let reader) = place else { return nil }
        start(reader.flight, request, key, validating: stored)
        do { while case .piece = try await step(reader) {} } catch is SilentOrigin { return nil } catch {}
        return reader.flight
    }

    /// The longest silence of an origin that is asked for a validation that no request waits for.
    private static let revalidationSilence = Duration.seconds(60)

    private struct SilentOrigin: Error {}

    /// - Throws: ``SilentOrigin`` when nothing comes for too long, or what the flight ended with.
    private func step(_ reader: FlightReader) async throws -> Flight.Step {
        try await withTimeLimit(Self.revalidationSilence, clock: clock) {
            SilentOrigin()
        } _: {
            try await reader.step()
        }
    }
}

// MARK: - What came of it

extension CachingLoader {
    private struct Joined {
        let response: ResourceResponse?
    }

    /// Waits for the answer to another's request.
    /// - Returns: `nil` where it is not for this one.
    private func join(
        _ request: ResourceRequest, _ key: CacheKey, validating stored: StoredResponse?, _ reader: FlightReader
    ) async throws -> Joined? {
        switch try await reader.outcome() {
        case .shared(let answer):
            guard case .use = policy.decide(request.head, candidates: [answer.stored.assumedComplete], now: now())
            else {
                return nil
            }
        case .freshened(let fresh):
            guard case .use = policy.decide(request.head, candidates: [fresh], now: now()) else { return nil }
        case .unshared: return nil
        case .erring:
            guard let stored, policy.mayAnswer(request.head, withStale: stored, isUnreachable: false, now: now()),
                let answer = await respond(with: stored, to: request, key, Self.failing)
            else { return nil }
            return Joined(response: answer)
        case .notMine, .failed: break
        }
        return Joined(response: try await finish(request, key, validating: stored, reader, isLeader: false))
    }

    private func finish(
        _ request: ResourceRequest, _ key: CacheKey, validating stored: StoredResponse?, _ reader: FlightReader,
        isLeader: Bool
    ) async throws -> ResourceResponse? {
        switch try await reader.outcome() {
        case .shared(let answer):
            var response = answer.response
            if case .stream(let stream) = response.body {
                let body = SharedBody(reader) { [self, stored = answer.stored, flight = reader.flight] offset in
                    try await rest(of: stored, from: offset, request, key, flight)
                }
                response.body = .stream(ByteStream(body, length: stream.length))
            }
            count { if isLeader { $0.misses += 1 } else { $0.shared += 1 } }
            if !isLeader { response.provenance.reason += ", shared with a request under way" }
            return response
        case .freshened(let fresh):
            let answer = await respond(with: fresh, to: request, key, "validated", setsCookies: true)
            if !policy.mayKeep(fresh) || answer == nil { await store.remove(key, variant: fresh.variant) }
            if let answer {
                count { $0.validated += 1 }
                return answer
            }
            return try await fly(request, key, validating: nil)
        case .unshared, .erring:
            guard let response = reader.flight.removeResponse() else {
                throw ResourceError(.internal, "the answer was taken", at: key.url)
            }
            if let stored, response.head.status.isOriginError,
                policy.mayAnswer(request.head, withStale: stored, isUnreachable: false, now: now()),
                let answer = await respond(with: stored, to: request, key, Self.failing)
            {
                return answer
            }
            count { $0.misses += 1 }
            return response
        case .notMine: return nil
        case .failed(let error):
            guard let stored else { throw error }
            if policy.mayAnswer(request.head, withStale: stored, isUnreachable: true, now: now()),
                let answer = await respond(with: stored, to: request, key, Self.unreachable)
            {
                return answer
            }
            guard policy.scope == .shared else { throw error }
            return gatewayTimeout("what is stored must be validated, and the origin is out of reach")
        }
    }

    /// Makes an answer of a stored response.
    /// - Parameter setsCookies: whether its cookies are new, as those that came with a validation.
    /// - Returns: `nil` where its bytes are gone.
    private func respond(
        with stored: StoredResponse, to request: ResourceRequest, _ key: CacheKey, _ reason: String,
        setsCookies: Bool = false
    ) async -> ResourceResponse? {
        guard let found = await store.body(of: stored, for: key) else { return nil }
        return respond(with: stored, found, to: request, reason, setsCookies: setsCookies)
    }

    /// Makes an answer of a stored response and its bytes.
    /// - Returns: `nil` where they are not those that are asked for.
    func respond(
        with stored: StoredResponse, _ found: CachedBody, to request: ResourceRequest, _ reason: String,
        setsCookies: Bool = false
    ) -> ResourceResponse? {
        let answer = StoredAnswer(stored, to: request.head, now: now())
        var head = answer.head
        // A user agent sets cookies as they come: from what is stored it would bring old ones back.
        if policy.scope == .private, !setsCookies { head.headerFields[values: .setCookie] = [] }
        var body = ResourceBody.empty
        if let range = answer.range, !range.isEmpty {
            guard let part = found.body.part(range, from: stored.range.lowerBound) else { return nil }
            body = part
        }
        count { counters in
            if found.source == .memory { counters.memoryHits += 1 } else { counters.diskHits += 1 }
        }
        return ResourceResponse(head: head, body: body, provenance: Provenance(found.source, reason: reason))
    }

    /// The bytes of an answer from a place on, for a reader that went on alone: what was kept for it, else what is stored
    /// by now, else what the next loader says, where a strong validator shows that it is the same.
    private func rest(
        of answer: StoredResponse, from offset: Int64, _ request: ResourceRequest, _ key: CacheKey, _ flight: Flight
    ) async throws -> BodyReader {
        count { $0.detached += 1 }
        if let body = flight.kept, let length = body.length, offset <= length {
            return BodyReader(body, skipping: offset)
        }
        if let stored = await store.responses(for: key).first(where: { $0.revision == answer.revision }),
            let body = await store.body(of: stored, for: key)?.body, let length = body.length, offset <= length
        {
            return BodyReader(body, skipping: offset)
        }
        let changed = ResourceError(.connectionLost, "the answer is no longer to be had", at: key.url)
        guard let tag = answer.strongTag else { throw changed }
        var alone = request
        alone.head.headerFields[.range] = "bytes=\(offset)-"
        alone.head.headerFields[.ifRange] = tag
        guard let response = try await next.load(alone), response.head.headerFields[.eTag] == tag else { throw changed }
        switch response.head.status {
        case .ok: return BodyReader(response.body, skipping: offset)
        case .partialContent:
            guard let field = response.head.headerFields[.contentRange],
                case .part(let range, _) = ContentRange(field), range.lowerBound == offset
            else { throw changed }
            return BodyReader(response.body, skipping: 0)
        default: throw changed
        }
    }

    private func gatewayTimeout(_ reason: String) -> ResourceResponse {
        ResourceResponse(
            head: HTTPResponse(status: .gatewayTimeout, headerFields: [.contentLength: "0"]), body: .empty,
            provenance: Provenance(.synthetic, reason: reason))
    }
}

extension StoredResponse {
    /// For judging an answer whose end has not come.
    fileprivate var assumedComplete: StoredResponse {
        StoredResponse(
            head: head, selectors: selectors, requestTime: requestTime, responseTime: responseTime,
            range: 0..<(length ?? 0), length: length ?? 0, revision: revision)
    }
}

extension ResourceBody {
    var isStream: Bool { if case .stream = self { true } else { false } }

    /// A part of stored bytes.
    /// - Parameter start: the place of the first of them in the representation.
    func part(_ range: Range<Int64>, from start: Int64) -> ResourceBody? {
        guard let length, range.lowerBound >= start, range.upperBound - start <= length else { return nil }
        if Int64(range.count) == length { return self }
        let lower = range.lowerBound - start
        switch self {
        case .bytes(let data):
            return .bytes(data[(data.startIndex + Int(lower))..<(data.startIndex + Int(lower) + range.count)])
        case .file(let slice):
            let first = slice.range.lowerBound + lower
            return .file(FileSlice(slice.file, range: first..<(first + Int64(range.count))))
        case .empty, .stream: return nil
        }
    }
}

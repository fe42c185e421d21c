// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

extension CachingLoader {
    /// The maximum number of store look-ups for a request if the stored responses change concurrently. After the last
    /// look-up, the request is sent separately.
    private static let attempts = 4

    static let fresh = "fresh"

    private static let failing = "stale, because the origin fails"

    private static let unreachable = "stale, because the origin is unreachable"

    /// Responds to a GET request.
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
                guard let answer = await respond(with: stored, to: request, key, "stale, while being validated") else {
                    await store.remove(key, variant: stored.variant)
                    continue
                }
                revalidate(stored, request, key, seen: ended)
                return answer
            case .gatewayTimeout: return gatewayTimeout("only-if-cached without a stored response")
            case .validate(let stored): validated = stored
            case .forward: validated = nil
            }
            guard mayShare else { return try await sendAlone(request, key, validating: validated) }
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
        return try await sendAlone(request, key, validating: nil)
    }

    /// Returns the responses stored under a key. A response that was received completely counts as stored. If it is
    /// still being written, the store is read again afterwards, so that a later request never gets an older state.
    /// - Returns: The responses, and the number of flights that had ended before the store was read.
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

    /// Responds to a HEAD request from stored GET responses or from the next loader (RFC 9111, section 4.3.5).
    func answerHead(_ request: ResourceRequest, _ key: CacheKey) async throws -> ResourceResponse? {
        let (candidates, _) = await storedResponses(for: key)
        var validated: StoredResponse?
        switch policy.decide(request.head, candidates: candidates, now: now()) {
        case .use(let stored), .useAndRevalidate(let stored):
            if let answer = await respond(with: stored, to: request, key, Self.fresh) { return answer }
        case .gatewayTimeout: return gatewayTimeout("only-if-cached without a stored response")
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
            guard let validated, !Self.mayBeRefusal(error),
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

    /// Forwards a request with an unsafe method and invalidates stored responses (RFC 9111, section 4.4).
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
        let reader = flights.addAlone(key, readAhead: configuration.readAhead)
        let flight = reader.flight
        start(flight, key) { [self] in await deliver(response, stored, key, flight) }
        return try await finish(request, key, validating: nil, reader, isLeader: true)
    }

    /// Removes the stored responses that a response invalidates.
    func invalidate(by response: HTTPResponse, to request: HTTPRequest, _ partition: String) async {
        for url in Invalidation.urls(after: response, to: request) {
            let key = CacheKey(partition: partition, url: url)
            flights.invalidate(key)
            await store.remove(key, variant: nil)
        }
    }

    /// Sends a request in a flight that other requests cannot join.
    private func sendAlone(
        _ request: ResourceRequest, _ key: CacheKey, validating stored: StoredResponse?
    ) async throws -> ResourceResponse? {
        let reader = flights.addAlone(key, readAhead: configuration.readAhead)
        start(reader.flight, request, key, validating: stored)
        return try await finish(request, key, validating: stored, reader, isLeader: true)
    }

    /// Validates a stored response in the background, unless a validation is running or has ended since the store was
    /// read.
    /// - Parameter seen: The number of flights that had ended when the store was read.
    private func revalidate(_ stored: StoredResponse, _ request: ResourceRequest, _ key: CacheKey, seen: UInt64) {
        var request = request
        for name in [HTTPField.Name.range, .ifRange, .ifNoneMatch, .ifModifiedSince] {
            request.head.headerFields[name] = nil
        }
        background.run { [self, request] in
            // `pull` has released its reader. A cancelled flight is over, unless another reader has joined it.
            guard let flight = await pull(stored, request, key, seen: seen), !Task.isCancelled || flight.isOver else {
                // No flight was started, or another reader has joined it. The shutdown does not wait for that reader.
                return
            }
            await flight.done()
        }
    }

    /// Validates a stored response and reads the new response into the store.
    /// - Returns: The flight of the validation, or `nil` if none was started.
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

    /// The maximum time without data from the origin during a background validation.
    private static let revalidationSilence = Duration.seconds(60)

    private struct SilentOrigin: Error {}

    /// Reads the next step of a background validation.
    /// - Throws: ``SilentOrigin`` after ``revalidationSilence`` without data, or the error of the flight.
    private func step(_ reader: FlightReader) async throws -> Flight.Step {
        try await withTimeLimit(Self.revalidationSilence, clock: clock) {
            SilentOrigin()
        } _: {
            try await reader.step()
        }
    }
}

// MARK: - Outcomes

extension CachingLoader {
    private struct Joined {
        let response: ResourceResponse?
    }

    /// Waits for the response to a concurrent identical request.
    /// - Returns: `nil` if the response cannot be used for this request.
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
            if !isLeader { response.provenance.reason += ", shared with a concurrent request" }
            return response
        case .freshened(let fresh):
            let answer = await respond(with: fresh, to: request, key, "validated", setsCookies: true)
            if !policy.mayKeep(fresh) || answer == nil { await store.remove(key, variant: fresh.variant) }
            if let answer {
                count { $0.validated += 1 }
                return answer
            }
            return try await sendAlone(request, key, validating: nil)
        case .unshared, .erring:
            guard let response = reader.flight.removeResponse() else {
                throw ResourceError(.internal, "the response was already used", at: key.url)
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
            guard let stored, !Self.mayBeRefusal(error) else { throw error }
            if policy.mayAnswer(request.head, withStale: stored, isUnreachable: true, now: now()),
                let answer = await respond(with: stored, to: request, key, Self.unreachable)
            {
                return answer
            }
            guard policy.scope == .shared else { throw error }
            return gatewayTimeout("the stored response must be validated, but the origin is unreachable")
        }
    }

    /// Returns a Boolean value that indicates whether the transport may have refused a request because of the kind of
    /// the network. The origin is then not unreachable, and a stale response could reach a page whose own request is
    /// sent.
    private static func mayBeRefusal(_ error: any Error) -> Bool {
        BackgroundTransfer.isRefusable && (error as? ResourceError)?.code == .offline
    }

    /// Returns a response made from a stored response.
    /// - Parameter setsCookies: A Boolean value that indicates whether the cookies are new, as after a validation.
    /// - Returns: `nil` if the bytes are missing.
    private func respond(
        with stored: StoredResponse, to request: ResourceRequest, _ key: CacheKey, _ reason: String,
        setsCookies: Bool = false
    ) async -> ResourceResponse? {
        guard let found = await store.body(of: stored, for: key) else { return nil }
        return respond(with: stored, found, to: request, reason, setsCookies: setsCookies)
    }

    /// Returns a response made from a stored response and its bytes.
    /// - Returns: `nil` if the bytes do not contain the requested range.
    func respond(
        with stored: StoredResponse, _ found: CachedBody, to request: ResourceRequest, _ reason: String,
        setsCookies: Bool = false
    ) -> ResourceResponse? {
        let answer = StoredAnswer(stored, to: request.head, now: now())
        var head = answer.head
        // A user agent sets the cookies of every response, so stored `Set-Cookie` fields would restore old cookies.
        if policy.scope == .private, !setsCookies { head.headerFields[values: .setCookie] = [] }
        var body = ResourceBody.empty
        if let range = answer.range, !range.isEmpty {
            guard let part = found.body.slice(stored.offsets(of: range)) else { return nil }
            body = part
        }
        count { counters in
            if found.source == .memory { counters.memoryHits += 1 } else { counters.diskHits += 1 }
        }
        return ResourceResponse(head: head, body: body, provenance: Provenance(found.source, reason: reason))
    }

    /// Returns a detached reader's remaining bytes. The sources, in order: the body that the flight retains for
    /// detached readers, the store, and a range request to the next loader if the response has a strong validator.
    private func rest(
        of answer: StoredResponse, from offset: Int64, _ request: ResourceRequest, _ key: CacheKey, _ flight: Flight
    ) async throws -> ResourceBody.Pieces {
        count { $0.detached += 1 }
        if let body = flight.detachedBody, let length = body.length, offset <= length {
            return body.pieces(from: offset)
        }
        if let stored = await store.responses(for: key).first(where: { $0.revision == answer.revision }),
            let body = await store.body(of: stored, for: key)?.body, let length = body.length, offset <= length
        {
            return body.pieces(from: offset)
        }
        let changed = ResourceError(.connectionLost, "the rest of the response is no longer available", at: key.url)
        guard let tag = answer.strongTag else { throw changed }
        var alone = request
        alone.head.headerFields[.range] = "bytes=\(offset)-"
        alone.head.headerFields[.ifRange] = tag
        guard let response = try await next.load(alone), response.head.headerFields[.eTag].hasSameBytes(as: tag) else {
            throw changed
        }
        switch response.head.status {
        case .ok: return response.body.pieces(from: offset)
        case .partialContent:
            guard let field = response.head.headerFields[.contentRange],
                case .part(let range, _) = ContentRange(field), range.lowerBound == offset
            else { throw changed }
            return response.body.pieces()
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
    /// The response with the assumption that it is complete, used to evaluate it before its body has ended.
    fileprivate var assumedComplete: StoredResponse {
        StoredResponse(
            head: head, selectors: selectors, requestTime: requestTime, responseTime: responseTime,
            range: 0..<(length ?? 0), length: length ?? 0, revision: revision)
    }
}

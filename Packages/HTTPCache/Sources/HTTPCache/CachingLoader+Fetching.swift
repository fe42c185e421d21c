// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading

// The upstream request of a flight, and the storage of its response.

extension CachingLoader {
    func start(_ flight: Flight, _ request: ResourceRequest, _ key: CacheKey, validating stored: StoredResponse?) {
        start(flight, key) { [self] in
            do {
                try await fetch(request, key, validating: stored, flight)
            } catch {
                flight.complete(.failed(error))
            }
        }
    }

    /// Runs the work of a flight that is in the table, and removes the flight afterwards.
    func start(_ flight: Flight, _ key: CacheKey, _ work: @escaping @Sendable () async -> Void) {
        let work = OneTimeWork(work)
        flight.start { [flights] flight in
            await work.run()
            flights.remove(flight, for: key)
            flight.finish()
        }
    }

    private func fetch(
        _ request: ResourceRequest, _ key: CacheKey, validating stored: StoredResponse?, _ flight: Flight
    ) async throws {
        var outgoing = request
        if let stored { outgoing.head = policy.validation(of: stored, for: request.head) }
        var requestTime = now()
        guard var response = try await next.load(outgoing) else { return flight.complete(.notMine) }
        var responseTime = now()
        if response.head.status == .notModified, let stored, stored.hasValidator {
            if let fresh = policy.freshened(
                stored, by: response.head, requestTime: requestTime, responseTime: responseTime)
            {
                // Readers do not wait for the disk.
                flight.complete(.freshened(fresh))
                if policy.mayKeep(fresh), !flight.isInvalidated { await store.update(fresh, for: key) }
                return
            }
            // The `304` response refers to another representation: to the client's own copy, or to an unknown
            // representation.
            let fields = request.head.headerFields
            if !fields.contains(.ifNoneMatch), !fields.contains(.ifModifiedSince) {
                requestTime = now()
                guard let other = try await next.load(request) else { return flight.complete(.notMine) }
                response = other
                responseTime = now()
            }
        }
        if let stored, response.head.status.isOriginError,
            policy.mayAnswer(request.head, withStale: stored, isUnreachable: false, now: responseTime)
        {
            return flight.complete(.erring, response)
        }
        guard
            let storable = policy.storable(
                response.head, to: request.head, requestTime: requestTime, responseTime: responseTime,
                length: response.body.length)
        else { return flight.complete(.unshared, response) }
        await deliver(response, storable, key, flight)
    }

    /// Delivers a response to the readers and stores it at the same time.
    func deliver(_ response: ResourceResponse, _ stored: StoredResponse, _ key: CacheKey, _ flight: Flight) async {
        flight.complete(.shared(Flight.SharedAnswer(stored: stored, response: response)))
        var storing = await Storing(self, stored, key)
        var isStored = storing != nil
        flight.allow(detaching(from: stored, isStored: isStored))
        let isStream = response.body.isStream
        var count: Int64 = 0
        do {
            for try await piece in response.body.pieces() {
                count += Int64(piece.count)
                if isStream {
                    await flight.append(piece)
                    try Task.checkCancellation()
                }
                await storing?.write(piece)
                if isStored, stored.head.status != .partialContent, storing?.isOfUse != true {
                    // A reader that becomes too slow from here on would find nothing in the store.
                    isStored = false
                    flight.allow(detaching(from: stored, isStored: false))
                }
                if isStream, storing?.isOfUse != true, flight.isUnread {
                    throw ResourceError(.cancelled, "no reader is left", at: key.url)
                }
            }
        } catch {
            return flight.end(.failure(error))
        }
        flight.end(.success(()))
        if let complete = policy.completed(stored, received: count), !flight.isInvalidated {
            await storing?.finish(complete, flight)
        } else {
            await storing?.storeForDetachedReaders(stored, flight)
        }
    }

    /// Returns the policy for slow readers. They are detached only if they can obtain the rest.
    private func detaching(from stored: StoredResponse, isStored: Bool) -> Flight.Detaching {
        guard stored.head.status != .partialContent else { return .never }
        if isStored, let length = stored.length, store.accepts(length) { return .untilStored }
        return stored.strongTag != nil ? .atOnce : .never
    }
}

/// A response that is being stored.
private struct Storing {
    /// The maximum number of variants of one URL. The oldest variant is removed first.
    private static let variantLimit = 16

    private let loader: CachingLoader
    private let key: CacheKey
    private var writer: (any CacheWriting)?
    private var count: Int64 = 0
    /// The plan, the stored response and its bytes if the new response is merged with a stored part.
    private var merge: (plan: PartMerge, old: StoredResponse, body: ResourceBody)?
    /// The stored response with the new fields, if it already contains the bytes of the new part.
    private var update: StoredResponse?

    /// Starts to store a response.
    /// - Returns: `nil` if the response is too large.
    init?(_ loader: CachingLoader, _ stored: StoredResponse, _ key: CacheKey) async {
        self.loader = loader
        self.key = key
        guard Int64(stored.range.count) <= loader.configuration.largestEntry else { return nil }
        if stored.head.status == .partialContent { await prepareMerge(of: stored) }
        guard update == nil else { return }
        writer = loader.store.makeWriter(for: key)
        if let merge { await write(merge.plan.before, of: merge) }
    }

    private mutating func prepareMerge(of stored: StoredResponse) async {
        let candidates = await loader.store.responses(for: key)
        guard let old = candidates.first(where: { $0.selectors == stored.selectors }),
            let plan = PartMerge(of: old, with: stored),
            Int64(plan.merged.range.count) <= loader.configuration.largestEntry
        else { return }
        if plan.merged.range == old.range {
            update = StoredResponse(
                head: plan.merged.head, selectors: old.selectors, requestTime: stored.requestTime,
                responseTime: stored.responseTime, range: old.range, length: plan.merged.length, revision: old.revision)
        } else if let body = await loader.store.body(of: old, for: key)?.body {
            merge = (plan, old, body)
        }
    }

    /// A Boolean value that indicates whether the response can still be stored.
    var isOfUse: Bool { writer != nil }

    mutating func write(_ piece: Data) async {
        guard let writer else { return }
        count += Int64(piece.count)
        let isOfUse = await writer.write(piece)
        if !isOfUse || count > loader.configuration.largestEntry { self.writer = nil }
    }

    /// Stores a complete response, unless it was invalidated.
    mutating func finish(_ stored: StoredResponse, _ flight: Flight) async {
        if let update {
            if !flight.isInvalidated { await loader.store.update(update, for: key) }
            return
        }
        var stored = stored
        if let merge {
            await write(merge.plan.after, of: merge)
            stored = merge.plan.merged
        }
        guard let writer else { return }
        guard !flight.isInvalidated else { return await storeForDetachedReaders(stored, flight) }
        await writer.finish(stored)
        // The entry may be replaced, removed or evicted before detached readers request it.
        if flight.hasDetached { flight.setDetachedBody(await loader.store.body(of: stored, for: key)?.body) }
        // An invalidation while the entry was being stored did not find the entry, so it is removed here.
        if flight.isInvalidated { return await loader.store.remove(key, variant: stored.variant) }
        let all = await loader.store.responses(for: key)
        guard all.count > Self.variantLimit,
            let oldest = all.min(by: { $0.responseTime < $1.responseTime })
        else { return }
        await loader.store.remove(key, variant: oldest.variant)
    }

    /// Retains the received bytes for detached readers only. The response must not be used for other requests.
    func storeForDetachedReaders(_ stored: StoredResponse, _ flight: Flight) async {
        guard let writer, merge == nil, flight.hasDetached else { return }
        // No request contains a field with this name.
        let selector = StoredResponse.Selector(name: ":kept", value: String(stored.revision))
        let detached = StoredResponse(
            head: stored.head, selectors: [selector], requestTime: stored.requestTime,
            responseTime: stored.responseTime,
            range: 0..<count, length: count)
        await writer.finish(detached)
        flight.setDetachedBody(await loader.store.body(of: detached, for: key)?.body)
        await loader.store.remove(key, variant: detached.variant)
    }

    private mutating func write(
        _ range: Range<Int64>, of merge: (plan: PartMerge, old: StoredResponse, body: ResourceBody)
    ) async {
        guard !range.isEmpty else { return }
        guard let part = merge.body.slice(merge.old.offsets(of: range)) else { return writer = nil }
        do {
            for try await piece in part.pieces() { await write(piece) }
        } catch {
            writer = nil
        }
    }
}

extension HTTPResponse.Status {
    /// A Boolean value that indicates whether the status is an error in the sense of RFC 5861, section 4.
    var isOriginError: Bool { [500, 502, 503, 504].contains(code) }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import CookieJar

/// A processor that stores the cookies of responses in a jar immediately, so that the next hop of a redirect sends
/// them.
///
/// It rejects cookies of requests that began before a clear operation, because they would restore cleared cookies.
///
/// Isolation: any thread. A lock serializes storing and clearing.
final class SetCookieProcessor: Sendable {
    /// A position in the order of the clear operations.
    struct Moment: Sendable {
        fileprivate let number: UInt64
    }

    /// The maximum number of remembered clear operations. Cookies of a request that began before the oldest operation
    /// are rejected.
    private static let capacity = 64

    private struct State {
        /// The number of the last clear operation.
        var number: UInt64 = 0
        var last: [(number: UInt64, scope: CookieScope)] = []
        /// The number of the newest clear operation that is no longer remembered.
        var newestDiscarded: UInt64 = 0
        /// The change sets that are recording.
        var changeSets: [ObjectIdentifier: CookieChangeSet] = [:]
    }

    private let jar: CookieStore
    private let state = Mutex(State())

    init(_ jar: CookieStore) {
        self.jar = jar
    }

    /// The current moment. A caller records it when a request begins.
    var moment: Moment {
        state.withLock { Moment(number: $0.number) }
    }

    /// Starts recording the cookies of all responses, whichever request they belong to, because several requests may
    /// share one response.
    func beginRecording() -> CookieChangeSet {
        let changes = CookieChangeSet()
        state.withLock { $0.changeSets[ObjectIdentifier(changes)] = changes }
        return changes
    }

    /// Ends a recording.
    func end(_ changes: CookieChangeSet) {
        state.withLock { $0.changeSets[ObjectIdentifier(changes)] = nil }
    }

    /// Applies the fields of a response.
    /// - Parameters:
    ///   - setCookies: the values of the fields `Set-Cookie`.
    ///   - data: the data that the response clears.
    ///   - target: the URL of the request, and its relation to the page.
    ///   - moment: the moment at which the request began.
    func apply(
        _ setCookies: [String], clearing data: ClearSiteData, from target: PageCookies.Target, begun moment: Moment
    ) {
        let (url, context) = target
        state.withLock { state in
            // Only hosts within a domain can set cookies for the domain.
            let isOutdated =
                moment.number < state.newestDiscarded
                || state.last.contains { $0.number > moment.number && $0.scope.reaches(url.host) }
            guard !isOutdated else { return }
            // Clears before storing, so that the cookies of the same response remain.
            jar.clear(data, from: url)
            jar.store(setCookies: setCookies, from: url, context: context)
            for changes in state.changeSets.values {
                changes.record(setCookies.compactMap { jar.identity(ofSetCookie: $0, from: url, context: context) })
                if data.contains(.cookies) { changes.recordAll() }
            }
        }
    }

    /// Clears a scope in the jar.
    func clear(_ scope: CookieScope) {
        state.withLock { state in
            state.number += 1
            state.last.append((state.number, scope))
            if state.last.count > Self.capacity { state.newestDiscarded = state.last.removeFirst().number }
            jar.clear(scope)
        }
    }
}

/// The cookies that responses have set since the recording began.
final class CookieChangeSet: Sendable {
    private let recorded = Mutex<Set<Cookie.Identity>?>([])

    /// The identities of the cookies; `nil` if whole sites have changed.
    var identities: Set<Cookie.Identity>? { recorded.withLock { $0 } }

    func record(_ identities: [Cookie.Identity]) {
        recorded.withLock { $0?.formUnion(identities) }
    }

    /// Records that whole sites have changed.
    func recordAll() {
        recorded.withLock { $0 = nil }
    }
}

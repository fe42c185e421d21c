// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import CookieBridge
internal import CookieJar

/// Takes the cookies of answers into the jar at once, so that the next hop has them; and keeps those out whose requests
/// began before a clearing, for they would bring back what was cleared.
///
/// Isolation: any. Taking in and clearing exclude each other.
final class SetCookieProcessor: Sendable {
    /// A moment among the clearings.
    struct Moment: Sendable {
        fileprivate let number: UInt64
    }

    /// How many clearings are remembered. Of a request from before the oldest nothing is taken.
    private static let capacity = 64

    private struct Clearings {
        var number: UInt64 = 0
        var last: [(number: UInt64, scope: CookieScope)] = []
        /// The number of the last one that is not remembered.
        var forgotten: UInt64 = 0
        /// Those who want to know what comes.
        var receipts: [ObjectIdentifier: CookieChangeSet] = [:]
    }

    private let jar: CookieStore
    private let clearings = Mutex(Clearings())

    init(_ jar: CookieStore) {
        self.jar = jar
    }

    /// Now; taken when a request begins.
    var moment: Moment {
        clearings.withLock { Moment(number: $0.number) }
    }

    /// Notes from now on what comes, whichever request it is for: several may share one answer.
    func beginReceipt() -> CookieChangeSet {
        let receipt = CookieChangeSet()
        clearings.withLock { $0.receipts[ObjectIdentifier(receipt)] = receipt }
        return receipt
    }

    func end(_ receipt: CookieChangeSet) {
        clearings.withLock { $0.receipts[ObjectIdentifier(receipt)] = nil }
    }

    /// Takes what an answer says of cookies.
    func apply(
        _ setCookies: [String], clearing data: ClearSiteData, from url: CookieURL, _ context: CookieContext,
        begun moment: Moment
    ) {
        clearings.withLock { clearings in
            // Only hosts within a domain can set cookies there.
            let isOutdated =
                moment.number < clearings.forgotten
                || clearings.last.contains { $0.number > moment.number && $0.scope.reaches(url.host) }
            guard !isOutdated else { return }
            // What goes does not take along what the same answer sets.
            jar.clear(data, from: url)
            jar.store(setCookies: setCookies, from: url, context: context)
            for receipt in clearings.receipts.values {
                receipt.record(setCookies.compactMap { jar.identity(ofSetCookie: $0, from: url, context: context) })
                if data.contains(.cookies) { receipt.recordAll() }
            }
        }
    }

    /// Empties the jar of a scope.
    func clear(_ scope: CookieScope) {
        clearings.withLock { clearings in
            clearings.number += 1
            clearings.last.append((clearings.number, scope))
            if clearings.last.count > Self.capacity { clearings.forgotten = clearings.last.removeFirst().number }
            jar.clear(scope)
        }
    }
}

extension CookieScope {
    /// Whether a host lies in it.
    func reaches(_ host: String) -> Bool {
        switch self {
        case .all: true
        case .domains(let domains): domains.contains { CookieHost.matches(host, domain: $0) }
        }
    }
}

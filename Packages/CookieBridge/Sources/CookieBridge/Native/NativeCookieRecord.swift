// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation
internal import WebSyntax

/// The attributes of the cookies of the app's storage, without their values.
///
/// Foundation on Linux has no `SameSite`, and loses `Secure` and `HttpOnly` when it writes a cookie to its file. The
/// record restores them, so that the storage does not weaken the other stores. It also knows the cookies that the
/// storage had at the start of an earlier process. If such a cookie is missing at the next start, the app has removed
/// it. A cookie that is known from the last process alone proves nothing: the process may have been killed before
/// Foundation or the system wrote its file.
///
/// The file has the format and the guarantees of ``CookieFile``; session cookies are not in it. Isolation: any thread.
final class NativeCookieRecord: Sendable {
    /// The mark of a cookie that the storage had at the start of a process, in place of its value. It names the kind of
    /// the storage, because the cookies of another storage were not removed.
    private let seen: String
    /// The mark of a cookie that the app has removed and that other stores may still have.
    private let removed: String
    /// The mark of any other cookie.
    private static let new = "new"
    private static let removedPrefix = "removed-"

    private let entries: CookieStore
    private let file: CookieFile?
    private let report: @Sendable (any Error) -> Void

    /// The limits of the jar of entries: as many entries as the reconciler has cookies, so that a domain with many
    /// cookies cannot remove an entry.
    static var limits: CookieStore.Limits {
        var limits = CookieStore.Limits()
        limits.perDomain = Reconciliation.Limits().identities
        limits.total = Reconciliation.Limits().identities
        return limits
    }

    /// Creates a record.
    /// - Parameters:
    ///   - entries: the jar of the entries, with ``limits``.
    ///   - file: the file that follows the jar; `nil` for none.
    ///   - kind: the kind of the storage.
    ///   - report: a closure that receives the error of a failed write.
    init(
        _ entries: CookieStore, file: CookieFile?, kind: String = "shared",
        report: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        (seen, removed) = ("seen-" + kind, Self.removedPrefix + kind)
        self.entries = entries
        self.file = file
        self.report = report
    }

    /// All entries.
    var all: [Cookie] { entries.cookies }

    /// Returns a Boolean value that indicates whether the record has a cookie of this identity.
    func contains(_ identity: Cookie.Identity) -> Bool { entry(identity) != nil }

    /// Returns the entry of a cookie that is not marked as removed.
    private func entry(_ identity: Cookie.Identity) -> Cookie? {
        entries.cookie(identity).flatMap { $0.value.hasPrefix(Self.removedPrefix) ? nil : $0 }
    }

    /// Returns a cookie of the storage with the attributes that the storage has lost. It adds attributes and removes
    /// none.
    func restored(_ shown: Cookie) -> Cookie {
        guard let entry = entry(shown.identity) else { return shown }
        var cookie = shown
        cookie.isSecure = shown.isSecure || entry.isSecure
        cookie.isHTTPOnly = shown.isHTTPOnly || entry.isHTTPOnly
        if shown.sameSite == .unspecified { cookie.sameSite = entry.sameSite }
        return cookie
    }

    /// Records a cookie that a read has shown. A known cookie keeps its mark.
    func recordShown(_ cookie: Cookie) {
        insert(cookie, entry(cookie.identity)?.value ?? Self.new)
    }

    /// Records a cookie that was written to the storage. Its attributes replace the known ones.
    func recordWritten(_ cookie: Cookie) {
        insert(cookie, Self.new)
    }

    /// Removes the entry of a cookie.
    func remove(_ identity: Cookie.Identity) { entries.remove(identity) }

    /// Removes the entries of a scope.
    func clear(_ scope: CookieScope) { entries.clear(scope) }

    /// Compares the record of the earlier processes with the storage, at the start of a process.
    /// - Parameter shown: the cookies of the storage, with their attributes restored.
    /// - Returns: the persistent cookies that the storage had at the start of an earlier process and has no longer.
    ///   They are marked, and the next process returns them again if ``forget(_:)`` was not called for them.
    func begin(with shown: [Cookie]) -> [Cookie.Identity] {
        for cookie in shown { insert(cookie, seen) }
        let there = Set(shown.map(\.identity))
        let missing = all.filter { !there.contains($0.identity) }
        return missing.compactMap { entry in
            guard entry.expires != nil, [seen, removed].contains(entry.value) else {
                entries.remove(entry.identity)
                return nil
            }
            insert(entry, removed)
            return entry.identity
        }
    }

    /// Removes the entries of cookies that are still marked as removed, because no other store has the cookies.
    func forget(_ identities: [Cookie.Identity]) {
        for identity in identities where entry(identity) == nil { entries.remove(identity) }
    }

    /// Writes the record to its file, so that it survives a kill.
    func flush() async {
        do { try await file?.flush() } catch { report(error) }
    }

    private func insert(_ cookie: Cookie, _ mark: String) {
        // The times are constant, so that an equal entry is no change.
        let entry = Cookie(
            cookie.identity, value: mark, expires: cookie.expires, created: .distantPast, isSecure: cookie.isSecure,
            isHTTPOnly: cookie.isHTTPOnly, sameSite: cookie.sameSite)
        // A cookie without an entry keeps the attributes that the storage shows.
        try? entries.insert(entry)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation
internal import PublicSuffixList

/// The sites of the local server, and the real domains of the cookies that the engine stores for them, without the
/// values of the cookies.
///
/// The engine stores such a cookie under the local name of the site. The name tells neither the real host nor the real
/// domain of a cookie with the attribute `Domain`. Without the record, the copy of a cookie that the app has removed
/// would look like a new cookie of a page after a launch.
///
/// The file has the format and the guarantees of ``CookieFile``. Isolation: any thread.
final class ServerCookieRecord: Sendable {
    /// The domain of the entries of sites. No site has this name.
    private static let sites = "localhost"
    /// The expiry of all entries, in the year 2100, because ``CookieFile`` omits cookies without an expiry.
    private static let end = Date(timeIntervalSince1970: 4_102_444_800)

    private let entries: CookieStore
    private let file: CookieFile?
    private let report: @Sendable (any Error) -> Void
    /// A jar without cookies, which parses `Set-Cookie`.
    private let parser = CookieStore(publicSuffixes: SuffixList())

    /// The limits of the jar of entries. The cookies of one site cannot remove the entries of others.
    static var limits: CookieStore.Limits {
        var limits = CookieStore.Limits()
        limits.perDomain = ServerCookieCopies.maxSites
        limits.total = Reconciliation.Limits().identities
        return limits
    }

    /// Creates a record.
    /// - Parameters:
    ///   - entries: the jar of the entries, with ``limits``.
    ///   - file: the file that follows the jar; `nil` for none.
    ///   - report: a closure that receives the error of a failed write.
    init(_ entries: CookieStore, file: CookieFile?, report: @escaping @Sendable (any Error) -> Void = { _ in }) {
        self.entries = entries
        self.file = file
        self.report = report
    }

    /// The recorded sites, by their local names.
    var sites: [(name: String, site: ServerCookieCopies.Site)] {
        entries.cookies.filter { $0.identity.domain == Self.sites }
            .map { ($0.identity.name, ServerCookieCopies.Site(host: $0.value, isSecure: $0.isSecure)) }
    }

    /// Records a served site.
    func record(_ site: ServerCookieCopies.Site, named name: String) {
        let identity = Cookie.Identity(name: name, domain: Self.sites, isHostOnly: true, path: "/")
        insert(identity, site.host, isSecure: site.isSecure)
    }

    /// Returns the real domain of a cookie with the attribute `Domain`.
    /// - Parameter copy: the identity under the local name of the site.
    func domain(of copy: Cookie.Identity) -> String? { entries.cookie(copy)?.value }

    /// Records the real domain of a cookie with the attribute `Domain` that the engine has or receives.
    /// - Parameter copy: the identity under the local name of the site.
    func record(_ copy: Cookie.Identity, of domain: String) { insert(copy, domain, isSecure: true) }

    /// Records the domains that a response names, before the engine receives its cookies.
    /// - Parameters:
    ///   - setCookies: the values of the fields `Set-Cookie`.
    ///   - url: the real URL of the request.
    ///   - site: the local name of the site.
    func record(setCookies: [String], from url: CookieURL, at site: String) {
        for field in setCookies {
            guard let identity = parser.identity(ofSetCookie: field, from: url), !identity.isHostOnly else { continue }
            var copy = identity
            copy.domain = site
            record(copy, of: identity.domain)
        }
    }

    /// Removes the entries of earlier processes whose cookies the engine no longer has.
    /// - Parameter shown: the identities that the first read has shown.
    func removeEntries(except shown: Set<Cookie.Identity>) {
        for entry in entries.cookies where entry.identity.domain != Self.sites && !shown.contains(entry.identity) {
            entries.remove(entry.identity)
        }
    }

    /// Writes the record to its file, so that it survives a kill.
    func flush() async {
        do { try await file?.flush() } catch { report(error) }
    }

    private func insert(_ identity: Cookie.Identity, _ value: String, isSecure: Bool) {
        // The times are constant, so that an equal entry is no change. A cookie without an entry belongs to the host.
        try? entries.insert(
            Cookie(identity, value: value, expires: Self.end, created: .distantPast, isSecure: isSecure))
    }
}

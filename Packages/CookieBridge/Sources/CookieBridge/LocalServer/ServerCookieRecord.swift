// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation
internal import PublicSuffixList

/// The real domains of the cookies that the engine stores for sites of the local server, without the values of the
/// cookies.
///
/// The engine has such a cookie under the local name of the site. The name does not tell the real domain of a cookie
/// with the attribute `Domain`, and after a launch not even the real host. Without the record, the copy of a cookie
/// that the app has removed would look like a new cookie of a page.
///
/// The file has the format and the guarantees of ``CookieFile``; session cookies are not in it. Isolation: any thread.
final class ServerCookieRecord: Sendable {
    private let entries: CookieStore
    private let file: CookieFile?
    private let report: @Sendable (any Error) -> Void
    /// A jar without cookies, which parses `Set-Cookie`.
    private let parser = CookieStore(publicSuffixes: SuffixList())

    /// Creates a record.
    /// - Parameters:
    ///   - entries: the jar of the entries, with `NativeCookieRecord.limits`.
    ///   - file: the file that follows the jar; `nil` for none.
    ///   - report: a closure that receives the error of a failed write.
    init(_ entries: CookieStore, file: CookieFile?, report: @escaping @Sendable (any Error) -> Void = { _ in }) {
        self.entries = entries
        self.file = file
        self.report = report
    }

    /// Returns the real domain of a cookie.
    /// - Parameter copy: the identity under the local name of the site.
    func domain(of copy: Cookie.Identity) -> String? { entries.cookie(copy)?.value }

    /// Records the real domain of a cookie that the engine has or receives.
    func record(_ copy: Cookie, of domain: String) {
        insert(copy.identity, domain, expires: copy.expires)
    }

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
            // A read records the expiry.
            insert(copy, identity.domain, expires: entries.cookie(copy)?.expires)
        }
    }

    /// Removes the entry of a cookie.
    func remove(_ copy: Cookie.Identity) { entries.remove(copy) }

    /// Writes the record to its file, so that it survives a kill.
    func flush() async {
        do { try await file?.flush() } catch { report(error) }
    }

    private func insert(_ copy: Cookie.Identity, _ domain: String, expires: Date?) {
        // The times are constant, so that an equal entry is no change. A cookie without an entry belongs to the host.
        try? entries.insert(Cookie(copy, value: domain, expires: expires, created: .distantPast, isSecure: true))
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
internal import Foundation
public import Prefetch
internal import ResourceLoading
internal import WebEngine

// What is fetched ahead.
extension Container {
    /// Puts another table in place of the one that says what is fetched ahead, for pages that are opened from now on;
    /// `nil` for none. Without effect where the configuration has no `prefetch`.
    public func setPrefetchTable(_ table: PrefetchTable?) {
        prefetch?.table = table
    }

    /// Asks for the table, where that is due and prefetching is on.
    func checkPrefetchTable() {
        if switches.isOn(.prefetch) { prefetchTable?.check() }
    }

    /// Begins to ask for what a page will ask for, and for the cookies that go along.
    func beginPrefetch(for page: PageID, at url: String, isPosted: Bool, as agent: UserAgent) {
        for pipeline in pipelines.all { pipeline.fields?.use(agent) }
        guard let prefetch, switches.isOn(.prefetch) else { return }
        let mode = mode(ofPageAt: url)
        guard mode != .plain else { return }
        prefetch.begin(page, at: url, in: mode, isPosted: isPosted, as: agent)
    }

    /// The answer to a page's message that asks for what was fetched ahead, as the page gets it; `nil` for none.
    /// - Throws: `PrefetchError` for what is no such message; `CancellationError`.
    func prefetched(for message: Data, from origin: WebOrigin, in view: ViewID) async throws -> Data? {
        let call = try PrefetchCall(json: message)
        guard let session = sessions[view], switches.isOn(.prefetch) else { return nil }
        return try await prefetch?.answer(call, of: session.reference, in: session.mode, from: origin)
    }

    /// The cookies of a page's requests in a mode, as they are now.
    func cookies(ofPageAt url: String, in mode: InterceptionMode) async throws -> PageCookies {
        if let cookies {
            // The engine's are to have what pages by the scheme were given.
            await cookies.waitUntilSynchronized()
            if pipelines[mode]?.traits.keepsCookies == false { return cookies.pages }
        }
        return try await PageCookies(of: engine.cookies) { [server] cookie in
            guard let server else { return cookie }
            return server.cookie(cookie, ofPageAt: url)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import HTTPTypes
public import ResourceLoading
public import WebEngine

/// A loader for requests that the app makes in place of an engine that stores the cookies of pages itself. It sends the
/// engine's cookies and stores the cookies of the responses in the engine, before the page receives the response.
///
/// It belongs above the HTTP cache, which compares the cookies of requests.
@_spi(Facade) public struct EngineCookieLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let store: any EngineCookieStore

    /// Creates a loader.
    /// - Parameters:
    ///   - base: the loader that receives the completed requests.
    ///   - store: the cookie store of the engine.
    public init(_ base: any ResourceLoader, store: any EngineCookieStore) {
        self.base = base
        self.store = store
    }

    /// Loads a request with the engine's cookies. A request of no page carries no cookies.
    /// - Throws: `EngineError` if the engine does not return its cookies or does not remove one; the errors of the base
    ///   loader.
    public nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard request.page != nil else { return try await base.load(request) }
        let cookies = try await PageCookies(of: store) { $0 }
        var request = request
        request.head.headerFields[.cookie] = cookies.header(for: request)
        guard var response = try await base.load(request) else { return nil }
        let fields = response.head.headerFields
        response.head.headerFields[values: .setCookie] = []
        // The HTTP cache removes the field from stored responses that the server has not validated.
        guard response.provenance.source != .package, let target = cookies.cookieTarget(of: request),
            cookies.accepts(from: target, for: request)
        else { return response }
        let data = ClearSiteData(fieldValues: fields[values: .clearSiteData])
        if !fields[values: .setCookie].isEmpty || data.contains(.cookies) {
            try await apply(fields[values: .setCookie], clearing: data, from: target)
        }
        return response
    }

    /// Applies the fields of a response to the engine's current cookies. Pages may have changed them since the request
    /// began, and the last writer wins. Only the cookies that the response names or clears change.
    private nonisolated(nonsending) func apply(
        _ setCookies: [String], clearing data: ClearSiteData, from target: PageCookies.Target
    ) async throws {
        let cookies = try await PageCookies(of: store) { $0 }
        let before = cookies.engineCookies
        let changes = cookies.processor.beginRecording()
        cookies.processor.apply(setCookies, clearing: data, from: target, begun: cookies.processor.moment)
        let after = cookies.engineCookies
        let isChanged = { (identity: Cookie.Identity) in changes.identities?.contains(identity) ?? true }
        for cookie in before where after[cookie.key] == nil && isChanged(cookie.key) {
            try await store.remove(name: cookie.value.name, domain: cookie.value.domain, path: cookie.value.path)
        }
        for cookie in after where before[cookie.key] != cookie.value && isChanged(cookie.key) {
            do {
                try await store.set(cookie.value)
            } catch let error as EngineError where error.code == .cookie {
                // The engine would not have stored this cookie of a response either.
                continue
            }
        }
    }
}

extension PageCookies {
    /// The cookies of the jar in the engine's form.
    fileprivate var engineCookies: [Cookie.Identity: EngineCookie] {
        Dictionary(jar.cookies.map { ($0.identity, EngineCookie($0)) }) { $1 }
    }
}

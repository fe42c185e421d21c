// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import HTTPTypes
public import ResourceLoading

/// A loader that sets the `Cookie` field of page requests.
///
/// It belongs above the HTTP cache, because the cache compares the cookies of requests. It belongs below the loader
/// that follows redirects, so that each hop sends its own cookies.
@_spi(Facade) public struct CookieSendingLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let cookies: PageCookies

    /// Creates a loader.
    /// - Parameters:
    ///   - base: the loader that receives the completed requests.
    ///   - cookies: the cookies of the pages.
    public init(_ base: any ResourceLoader, cookies: PageCookies) {
        self.base = base
        self.cookies = cookies
    }

    /// Loads a request after replacing its `Cookie` field with the cookies of its page. It waits until the jar has the
    /// changes of the app's storage.
    public nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        if request.page != nil { await cookies.refresh?.wait() }
        return try await base.load(completed(request))
    }

    /// Returns the immediate response to a request with the cookies of its page, unless the jar may lack a change of
    /// the app's storage.
    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        guard request.page == nil || cookies.refresh?.isNeeded != true else { return .later }
        return base.immediateResponse(to: completed(request))
    }

    private func completed(_ request: ResourceRequest) -> ResourceRequest {
        guard request.page != nil else { return request }
        var request = request
        request.head.headerFields[.cookie] = cookies.header(for: request)
        return request
    }
}

extension PageCookies {
    /// Applies the cookies that the response to a page's request sets, as an engine would store them. Cookies that the
    /// response may not set are ignored.
    /// - Parameters:
    ///   - setCookies: the values of the `Set-Cookie` fields.
    ///   - request: the request, with its page in `ResourceRequest.page`.
    public func record(_ setCookies: [String], of request: ResourceRequest) {
        guard let target = cookieTarget(of: request), accepts(from: target, for: request) else { return }
        processor.apply(setCookies, clearing: [], from: target, begun: processor.moment)
    }
}

/// A loader that stores the cookies of responses to pages, and removes the `Set-Cookie` fields from the responses.
///
/// It belongs below the HTTP cache, so that a cached response does not set its cookies again. Scripts never receive the
/// field `Set-Cookie` (Fetch, "forbidden response-header name").
@_spi(Facade) public struct CookieStoringLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let cookies: PageCookies

    /// Creates a loader.
    /// - Parameters:
    ///   - base: the loader of the network.
    ///   - cookies: the cookies of the pages.
    public init(_ base: any ResourceLoader, cookies: PageCookies) {
        self.base = base
        self.cookies = cookies
    }

    /// Loads a request, stores the cookies of its response, and removes the `Set-Cookie` fields.
    ///
    /// Cookies that were cleared after the request began are not stored. `ResourceRequest.onSetCookie` receives the
    /// values before the cookies are stored.
    public nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let moment = cookies.processor.moment
        guard var response = try await base.load(request) else { return nil }
        guard request.page != nil else { return response }
        if let target = cookies.cookieTarget(of: request), cookies.accepts(from: target, for: request) {
            let fields = response.head.headerFields
            let setCookies = fields[values: .setCookie]
            request.onSetCookie?(setCookies)
            cookies.processor.apply(
                setCookies, clearing: ClearSiteData(fieldValues: fields[values: .clearSiteData]), from: target,
                begun: moment)
        }
        response.head.headerFields[values: .setCookie] = []
        return response
    }
}

extension HTTPFields {
    subscript(values name: HTTPField.Name?) -> [String] {
        name.map { self[values: $0] } ?? []
    }
}

extension HTTPField.Name? {
    static let clearSiteData = HTTPField.Name("Clear-Site-Data")
}

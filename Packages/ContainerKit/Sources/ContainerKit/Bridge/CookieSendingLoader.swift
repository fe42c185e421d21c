// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import HTTPTypes
internal import ResourceLoading

/// Sends a page's cookies along. Above the HTTP cache, which has to know what an answer depends on, and below those who
/// follow redirects, so that each hop gets its own.
struct CookieSendingLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let cookies: PageCookies

    init(_ base: any ResourceLoader, cookies: PageCookies) {
        self.base = base
        self.cookies = cookies
    }

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        try await base.load(completed(request))
    }

    func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        base.immediateResponse(to: completed(request))
    }

    private func completed(_ request: ResourceRequest) -> ResourceRequest {
        guard request.page != nil else { return request }
        var request = request
        request.head.headerFields[.cookie] = cookies.cookieTarget(of: request).flatMap {
            cookies.jar.cookieHeader(for: $0.url, context: $0.context)
        }
        return request
    }
}

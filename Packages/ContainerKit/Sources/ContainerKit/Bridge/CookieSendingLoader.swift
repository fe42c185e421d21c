// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import HTTPTypes
internal import ResourceLoading

/// Sends a page's cookies along. Above the HTTP cache, which has to know what an answer depends on, and below those who
/// follow redirects, so that each hop gets its own.
struct CookieSendingLoader: ResourceLoading {
    private let base: any ResourceLoading
    private let cookies: PageCookies

    init(_ base: any ResourceLoading, cookies: PageCookies) {
        self.base = base
        self.cookies = cookies
    }

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        try await base.load(completed(request))
    }

    func promptAnswer(to request: ResourceRequest) -> PromptAnswer {
        base.promptAnswer(to: completed(request))
    }

    private func completed(_ request: ResourceRequest) -> ResourceRequest {
        guard request.page != nil else { return request }
        var request = request
        request.head.headerFields[.cookie] = cookies.way(of: request).flatMap {
            cookies.jar.cookieHeader(for: $0.url, context: $0.context)
        }
        return request
    }
}

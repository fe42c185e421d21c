// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import Prefetch
internal import ResourceLoading

/// A request for data in one run, read so that runs can be compared.
struct ObservedCall {
    let observed: ObservedRequest
    let url: PrefetchURL?
    /// JSON; `nil` where there is none, or it is not that.
    let body: JSONValue?
    let hasBody: Bool

    init(_ observed: ObservedRequest) {
        self.observed = observed
        url = PrefetchURL(observed.request)
        hasBody = observed.body?.isEmpty != true
        body = observed.body.flatMap { $0.isEmpty ? nil : try? JSONValue(json: $0, maxDepth: Self.maxDepth) }
    }

    /// As deep as a body may be that is compared, see ``RequestIdentity``.
    private static let maxDepth = 64

    var method: HTTPRequest.Method { observed.request.method }

    var origin: WebOrigin { observed.request.webOrigin ?? .opaque }
    /// Without the query.
    var path: String { String((observed.request.path ?? "").prefix { $0 != "?" }) }

    /// Whether both ask the same API, whatever they tell it.
    func isLike(_ other: ObservedCall) -> Bool {
        method == other.method && origin == other.origin && path == other.path
    }

    func isSame(as other: ObservedCall) -> Bool {
        isLike(other) && url?.query == other.url?.query && hasBody == other.hasBody
            && body?.canonical == other.body?.canonical
    }

    var part: FixedPart { FixedPart(query: url?.query, body: body) }
}

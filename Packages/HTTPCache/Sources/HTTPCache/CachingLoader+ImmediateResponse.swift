// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading

extension CachingLoader {
    /// Answers with a fresh response that lies in memory whole. All else may have to wait: for the disk, for the origin,
    /// or for another's request.
    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        let head = request.head
        guard head.method == .get || head.method == .head, isCached(head), case .empty = request.body else {
            return .later
        }
        let key = key(for: request)
        guard let candidates = store.responsesInMemory(for: key), !candidates.isEmpty,
            // A newer response may be on its way into the store.
            flights.ending(key, notAmong: candidates) == nil,
            // The request may not have these yet.
            !candidates.contains(where: { $0.selectors.contains(where: \.isForServers) }),
            case .use(let stored) = policy.decide(head, candidates: candidates, now: now()), stored.isComplete,
            let found = store.bodyInMemory(of: stored, for: key),
            let response = respond(with: stored, found, to: request, Self.fresh)
        else { return .later }
        return .known(response)
    }
}

extension StoredResponse.Selector {
    /// Whether only servers are told of the field, see `ResourceLoader.immediateResponse(to:)`.
    fileprivate var isForServers: Bool { name == "referer" || name.hasPrefix("sec-fetch-") }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import HTTPTypes
internal import ResourceLoading

/// The framing policies of documents that frames were given, by their URLs, for documents that say later what is around
/// them.
///
/// Isolation: any.
final class FramedDocuments: Sendable {
    private struct Known {
        var url: String
        var document: WebOrigin
        var policy: FramingPolicy
    }

    private static let limit = 256
    private let known = Mutex<[Known]>([])

    /// Notes a policy that permits the frame by the page's origin.
    func insert(_ policy: FramingPolicy, at url: String, of document: WebOrigin) {
        let url = Self.spelling(of: url)
        known.withLock { known in
            known.removeAll { $0.url == url }
            if known.count >= Self.limit { known.removeFirst() }
            known.append(Known(url: url, document: document, policy: policy))
        }
    }

    /// Forgets a document that has no policy any more.
    func remove(at url: String) {
        let url = Self.spelling(of: url)
        known.withLock { $0.removeAll { $0.url == url } }
    }

    /// Returns a Boolean value that indicates whether a document may be shown below these origins.
    /// - Parameter url: with or without a fragment.
    func mayShow(_ url: String, below ancestors: [String]) -> Bool {
        let url = Self.spelling(of: url)
        guard let found = known.withLock({ $0.last { $0.url == url } }) else { return true }
        let origins = ancestors.map { WebOrigin(url: $0) ?? .opaque }
        return found.policy.refusal(of: found.document, in: origins) == nil
    }

    /// One spelling for the URL of a request and that of its document: the engine spells names and real URLs differently.
    private static func spelling(of url: String) -> String {
        let url = String(url.prefix { $0 != "#" })
        guard var request = HTTPRequest(urlText: url) else { return url }
        request.path = request.path.map(SchemeNames.standard.realTarget)
        return RealURL.canonical(request.urlText) ?? request.urlText
    }
}

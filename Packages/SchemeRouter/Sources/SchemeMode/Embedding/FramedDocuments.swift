// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import HTTPTypes
internal import ResourceLoading

/// The framing policies of documents in frames, by URL. They are evaluated when a document reports its ancestors.
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

    /// Records the policy of a document that the page's origin may show in a frame.
    func insert(_ policy: FramingPolicy, at url: String, of document: WebOrigin) {
        let url = Self.spelling(of: url)
        known.withLock { known in
            known.removeAll { $0.url == url }
            if known.count >= Self.limit { known.removeFirst() }
            known.append(Known(url: url, document: document, policy: policy))
        }
    }

    /// Removes a document that has no policy.
    func remove(at url: String) {
        let url = Self.spelling(of: url)
        known.withLock { $0.removeAll { $0.url == url } }
    }

    /// Returns a Boolean value that indicates whether a document may be shown below these origins.
    /// - Parameters:
    ///   - url: The URL of the document, with or without a fragment.
    ///   - ancestors: The origins of the ancestors.
    func mayShow(_ url: String, below ancestors: [String]) -> Bool {
        let url = Self.spelling(of: url)
        guard let found = known.withLock({ $0.last { $0.url == url } }) else { return true }
        let origins = ancestors.map { WebOrigin(url: $0) ?? .opaque }
        return found.policy.refusal(of: found.document, in: origins) == nil
    }

    /// Returns a common form for the URL of a request and the URL of its document, because the engine spells
    /// custom-scheme URLs and real URLs differently.
    private static func spelling(of url: String) -> String {
        let url = String(url.prefix { $0 != "#" })
        guard var request = HTTPRequest(urlText: url) else { return url }
        request.path = request.path.map(SchemeNames.standard.realTarget)
        return RealURL.canonical(request.urlText) ?? request.urlText
    }
}

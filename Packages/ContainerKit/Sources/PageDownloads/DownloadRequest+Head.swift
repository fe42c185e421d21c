// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine
internal import WebSyntax

extension DownloadRequest {
    /// In characters.
    private static let urlLimit = 1_024

    init(_ head: DownloadManager.Head, id: DownloadID, _ page: PageSession) {
        let isOfWeb = head.url.hasPrefix("http:") || head.url.hasPrefix("https:")
        let type = head.mediaType.map { MediaType.essence(of: $0) }
        self.init(
            id: id, page: page, url: isOfWeb ? head.url : String(head.url.prefix(Self.urlLimit)),
            suggestedName: SafeFileName.make(head.name ?? (isOfWeb ? Self.lastName(of: head.url) : nil)),
            mediaType: type.flatMap { $0.isEmpty ? nil : $0 }, expectedBytes: head.length,
            isUserGesture: head.isUserGesture)
    }

    /// The end of the path of a URL.
    private static func lastName(of url: String) -> String? {
        let path = url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/", omittingEmptySubsequences: false)
        // Scheme, nothing, host.
        guard path.count > 3, let last = path.last, !last.isEmpty else { return nil }
        return PercentEncoding.decodeText(last) ?? String(last)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// The announcements of requests that cannot carry a mark, oldest first.
///
/// The announcement of a request without CORS has the request's id. The announcement of a form has only its URL. So it is
/// assigned to the form's navigation when that begins, and the `Content-Type` of the navigation, with its boundary, leads
/// from there to the request.
struct Announcements {
    struct Announcement {
        var url: String
        var mark: RequestMark
        /// The `Content-Type` that the request gets instead of the engine's.
        var contentType: String?
        /// The `Content-Language` that the request gets instead of the id.
        var contentLanguage: String?
        /// The document and the target of a form; a later form of the same sender replaces one that was not sent.
        var sender: String?
        /// The `Content-Type` of the navigation that the announcement was assigned to.
        fileprivate(set) var navigationType: String?

        init(url: String, mark: RequestMark, contentType: String?, contentLanguage: String?, sender: String?) {
            self.url = url
            self.mark = mark
            self.contentType = contentType
            self.contentLanguage = contentLanguage
            self.sender = sender
        }

        /// The body in the vault, if the announcement is of a form that has one there.
        var heldBody: (id: BodyID, length: Int64)? {
            guard mark.id == nil, case .take(let id, let length) = mark.purpose else { return nil }
            return (id, length)
        }

        fileprivate func isForm(to url: String) -> Bool { mark.id == nil && self.url == url }
    }

    private var list: [Announcement] = []

    /// The most announcements that wait for their requests; the oldest is removed first.
    private static let limit = 64

    /// Adds an announcement.
    /// - Returns: the announcements that it replaces.
    mutating func insert(_ announcement: Announcement) -> [Announcement] {
        var replaced: [Announcement] = []
        if announcement.mark.id == nil {
            replaced = remove {
                $0.isForm(to: announcement.url) && $0.navigationType == nil && $0.sender == announcement.sender
            }
        }
        list.append(announcement)
        if list.count > Self.limit { replaced.append(list.removeFirst()) }
        return replaced
    }

    /// Assigns the oldest announcement of a form to a navigation.
    mutating func assign(toNavigationTo url: String, contentType: String?) -> Announcement? {
        guard let index = list.firstIndex(where: { $0.isForm(to: url) && $0.navigationType == nil }) else { return nil }
        list[index].navigationType = contentType ?? ""
        return list[index]
    }

    /// Removes the announcement of a request, and those of forms to the same URL that were not sent.
    /// - Returns: the announcement of the request, and the others.
    mutating func take(for head: HTTPRequest) -> (found: Announcement?, unsent: [Announcement]) {
        let url = head.urlText
        if let id = head.headerFields[.contentLanguage].flatMap({ BodyID($0) }),
            let index = list.firstIndex(where: { $0.mark.id == id && $0.url == url })
        {
            return (list.remove(at: index), [])
        }
        guard ![.get, .head].contains(head.method) else { return (nil, []) }
        let type = head.headerFields[.contentType] ?? ""
        if let index = list.firstIndex(where: { $0.isForm(to: url) && $0.navigationType == type }) {
            return (list.remove(at: index), [])
        }
        // The engine has not asked about the navigation.
        var others = remove { $0.isForm(to: url) && $0.navigationType == nil }
        let found = others.popLast()
        return (found, others)
    }

    mutating func removeAll() { list.removeAll() }

    private mutating func remove(where isMeant: (Announcement) -> Bool) -> [Announcement] {
        let removed = list.filter(isMeant)
        list.removeAll(where: isMeant)
        return removed
    }
}

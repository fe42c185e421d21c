// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// The announcements of requests that cannot carry a bridge header.
///
/// The announcement of a request without CORS has the id of the request. The announcement of a form has only a URL. It
/// is assigned to the next form navigation to the URL, and then to the next request, in the order in which the
/// navigations begin.
///
/// Navigation and request follow an announcement immediately. So if an announcement is older than ``lifetime`` and a
/// newer announcement for the URL exists, the form of the older announcement was not sent, and the announcement is
/// removed.
struct Announcements {
    /// An announcement of one request.
    struct Announcement {
        var url: String
        var mark: BridgeHeader
        /// The `Content-Type` that replaces the engine's value in the request.
        var contentType: String?
        /// The `Content-Language` that replaces the id in the request.
        var contentLanguage: String?
        /// The document and the target of a form. A later form of the same sender to the same URL replaces this form.
        var sender: String?
        /// The site of the document; `nil` if the document has not proven its site.
        var provenSite: String?
        fileprivate var stage = Stage.announced
        /// The time at which the stage began.
        fileprivate var date = ContinuousClock.now

        init(
            url: String, mark: BridgeHeader, contentType: String?, contentLanguage: String?, sender: String?,
            provenSite: String?
        ) {
            self.url = url
            self.mark = mark
            self.contentType = contentType
            self.contentLanguage = contentLanguage
            self.sender = sender
            self.provenSite = provenSite
        }

        /// The identifier and length of the body that the page sends through the relay for a form. `nil` if the
        /// announcement is not for a form, or the form has no such body.
        var heldBody: (id: BodyID, length: Int64)? {
            guard mark.id == nil, case .relayed(let id, let length) = mark.purpose else { return nil }
            return (id, length)
        }

        fileprivate func isForm(to url: String, at stage: Stage) -> Bool {
            mark.id == nil && self.url == url && self.stage == stage
        }
    }

    /// The progress of a form.
    fileprivate enum Stage {
        /// No navigation is assigned.
        case announced
        /// The navigation waits for the body.
        case waiting
        /// The navigation has begun.
        case begun
    }

    /// The announcements in the order in which their stages began.
    private var list: [Announcement] = []

    /// The maximum number of pending announcements. A further announcement removes the oldest.
    private static let limit = 64

    /// The longest time from the announcement of a form to its navigation, and from the navigation to its request.
    static let lifetime = Duration.seconds(5)

    /// Adds an announcement.
    /// - Returns: the announcements that were removed.
    mutating func insert(_ announcement: Announcement, at now: ContinuousClock.Instant) -> [Announcement] {
        var announcement = announcement
        announcement.date = now
        var removed: [Announcement] = []
        if announcement.mark.id == nil {
            removed = remove { $0.isForm(to: announcement.url, at: .announced) && $0.sender == announcement.sender }
        }
        list.append(announcement)
        if list.count > Self.limit { removed.append(list.removeFirst()) }
        return removed
    }

    /// Assigns the oldest announcement of a form to a navigation.
    /// - Returns: the announcement, and the announcements of earlier navigations that this navigation ends.
    mutating func assign(
        toNavigationTo url: String, at now: ContinuousClock.Instant
    ) -> (found: Announcement?, ended: [Announcement]) {
        let (oldest, expired) = removeForm(to: url, at: .announced, now)
        guard var found = oldest else { return (nil, []) }
        let ended = remove {
            $0.mark.id == nil && $0.url == url && $0.stage != .announced && $0.sender == found.sender
        }
        found.stage = .waiting
        list.append(found)
        return (found, expired + ended)
    }

    /// Moves an assigned announcement to the end, behind the announcements whose navigations began earlier.
    mutating func begin(_ announcement: Announcement, at now: ContinuousClock.Instant) {
        let isMatch = { (other: Announcement) in other.stage == .waiting && other.mark == announcement.mark }
        guard let index = list.firstIndex(where: { $0.url == announcement.url && isMatch($0) }) else { return }
        var begun = list.remove(at: index)
        begun.stage = .begun
        begun.date = now
        list.append(begun)
    }

    /// Removes the announcement of a request.
    /// - Returns: the announcement, and the announcements of forms to the same URL that were not sent.
    mutating func remove(
        for head: HTTPRequest, at now: ContinuousClock.Instant
    ) -> (found: Announcement?, unsent: [Announcement]) {
        let url = head.urlText
        if let id = head.headerFields[.contentLanguage].flatMap({ BodyID($0) }),
            let index = list.firstIndex(where: { $0.mark.id == id && $0.url == url })
        {
            return (list.remove(at: index), [])
        }
        guard ![.get, .head].contains(head.method) else { return (nil, []) }
        let (begun, expired) = removeForm(to: url, at: .begun, now)
        if let begun { return (begun, expired) }
        // The engine did not report the navigation.
        var others = remove { $0.isForm(to: url, at: .announced) }
        let found = others.popLast()
        return (found, others)
    }

    /// Removes the oldest unexpired form to a URL in a stage. If all these forms have expired, the page was busy, and
    /// the oldest form is removed.
    /// - Returns: the form, and the expired forms, which are also removed.
    private mutating func removeForm(
        to url: String, at stage: Stage, _ now: ContinuousClock.Instant
    ) -> (found: Announcement?, expired: [Announcement]) {
        let isExpired = { (form: Announcement) in form.date.duration(to: now) > Self.lifetime }
        let isMatch = { (form: Announcement) in form.isForm(to: url, at: stage) }
        guard let index = list.firstIndex(where: { isMatch($0) && !isExpired($0) }) else {
            return (list.firstIndex(where: isMatch).map { list.remove(at: $0) }, [])
        }
        let found = list.remove(at: index)
        return (found, remove { isMatch($0) && isExpired($0) })
    }

    mutating func removeAll() { list.removeAll() }

    private mutating func remove(where isIncluded: (Announcement) -> Bool) -> [Announcement] {
        let removed = list.filter(isIncluded)
        list.removeAll(where: isIncluded)
        return removed
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// The announcements of requests that cannot carry a mark.
///
/// The announcement of a request without CORS has the request's id. The announcement of a form has only its URL: it is
/// assigned to the next navigation of a form to this URL, and then to the next request, in the order in which the
/// navigations begin. A navigation and a request follow at once, so an announcement that is older than ``lifetime`` is
/// removed if there is a newer one to the URL: its form was not sent.
struct Announcements {
    /// One announcement.
    struct Announcement {
        var url: String
        var mark: BridgeHeader
        /// The `Content-Type` that the request gets instead of the engine's.
        var contentType: String?
        /// The `Content-Language` that the request gets instead of the id.
        var contentLanguage: String?
        /// The document and the target of a form: a later form of the same sender to the same URL replaces this one.
        var sender: String?
        /// The site that the document has proven to be of.
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

        /// The body in the relay, if the announcement is of a form that has one there.
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
        /// No navigation is known.
        case announced
        /// The navigation waits for the body.
        case waiting
        /// The navigation has begun.
        case begun
    }

    /// In the order of their stages' beginnings.
    private var list: [Announcement] = []

    /// The most announcements that wait for their requests; the oldest is removed first.
    private static let limit = 64

    /// The longest time from the announcement of a form to its navigation, and from that to its request.
    static let lifetime = Duration.seconds(5)

    /// Adds an announcement.
    /// - Returns: the announcements that are removed.
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
    /// - Returns: the announcement, and those of earlier navigations that this one ends.
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

    /// Moves an assigned announcement behind those whose navigations began before.
    mutating func begin(_ announcement: Announcement, at now: ContinuousClock.Instant) {
        let isMeant = { (other: Announcement) in other.stage == .waiting && other.mark == announcement.mark }
        guard let index = list.firstIndex(where: { $0.url == announcement.url && isMeant($0) }) else { return }
        var begun = list.remove(at: index)
        begun.stage = .begun
        begun.date = now
        list.append(begun)
    }

    /// Removes the announcement of a request.
    /// - Returns: the announcement, and those of forms to the same URL that were not sent.
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
        // The engine has not asked about the navigation.
        var others = remove { $0.isForm(to: url, at: .announced) }
        let found = others.popLast()
        return (found, others)
    }

    /// Removes the oldest form to a URL that is in a stage and has not expired. If all have, the page was busy: then it
    /// removes the oldest.
    /// - Returns: the form, and the expired ones before it, which are removed too.
    private mutating func removeForm(
        to url: String, at stage: Stage, _ now: ContinuousClock.Instant
    ) -> (found: Announcement?, expired: [Announcement]) {
        let isExpired = { (form: Announcement) in form.date.duration(to: now) > Self.lifetime }
        let isMeant = { (form: Announcement) in form.isForm(to: url, at: stage) }
        guard let index = list.firstIndex(where: { isMeant($0) && !isExpired($0) }) else {
            return (list.firstIndex(where: isMeant).map { list.remove(at: $0) }, [])
        }
        let found = list.remove(at: index)
        return (found, remove { isMeant($0) && isExpired($0) })
    }

    mutating func removeAll() { list.removeAll() }

    private mutating func remove(where isMeant: (Announcement) -> Bool) -> [Announcement] {
        let removed = list.filter(isMeant)
        list.removeAll(where: isMeant)
        return removed
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import OfflinePackage
internal import PackageFormat
internal import ResourceLoading
internal import SystemSupport
internal import WebEngine

/// The messages between the interface of one open page and the container.
///
/// A document is bound to the generations that the page uses at the document's first message. Its reports count for
/// these generations, and messages that arrive after the next document was committed are refused.
///
/// Isolation: the main actor. Call ``end()`` at the end.
@MainActor
final class PageInterfaceChannel {
    /// The number of former documents whose messages are recognized.
    private static let formerLimit = 16

    private struct Document {
        let id: String
        /// The page at the document's first message, with the generations that cover the document.
        let page: PageReference
        /// A Boolean value that indicates whether the document has reported that it works, or that it does not.
        var hasReported = false
        /// The versions of which the document was notified.
        var announced = PageInterfaceNotifications()
    }

    let page: PageID
    /// The token of the messages of this page.
    let token = RandomToken.hex(byteCount: 16)
    /// The staged version of each package.
    var staged: [PackageID: PackageVersion] = [:] { didSet { announceVersions() } }
    private weak var view: (any EngineView)?
    private weak var host: (any PageInterfaceHost)?
    private let network: @MainActor () -> HostConditions
    private let stopwatch: Stopwatch
    private var rate = PageInterfaceRate()
    private var document: Document?
    private var former: [String] = []
    private var hasRefused = false
    private var notifications = PageInterfaceNotifications()
    /// The continuation of the message that waits for notifications.
    private var waiter: CheckedContinuation<String, Never>?
    private var isOver = false

    /// Creates a channel.
    /// - Parameters:
    ///   - page: the page.
    ///   - view: the view of the page; not retained.
    ///   - host: the pages and packages; not retained.
    ///   - clock: the clock of the rate limit.
    ///   - network: a closure that returns the conditions of the device.
    init(
        _ page: PageID, in view: any EngineView, host: (any PageInterfaceHost)?, clock: any Clock<Duration>,
        network: @escaping @MainActor () -> HostConditions
    ) {
        self.page = page
        self.view = view
        self.host = host
        self.network = network
        stopwatch = Stopwatch(clock)
    }

    /// Answers a message.
    /// - Returns: the reply as JSON.
    /// - Throws: ``PageInterfaceRefusal``, which rejects the promise of the page.
    func reply(to message: ScriptMessage) async throws(PageInterfaceRefusal) -> String {
        let call: PageInterfaceMessage
        do {
            call = try admit(message)
        } catch {
            // A message of a former document is not an error.
            if !hasRefused, error != .former, error != .closed {
                hasRefused = true
                host?.page(page, did: .refused(error.description))
            }
            throw error
        }
        switch call.kind {
        case .hello: return "null"
        case .next: return await nextNotifications()
        case .package:
            guard let package = host?.package(of: page) else { return "null" }
            return PageInterfaceNotifications.Version(package.id, package.version).scriptJSON
        case .network: return PageInterfaceNotifications.Network(network()).scriptJSON
        case .ready: report(.healthy, .ready)
        case .failed:
            let reason = call.text.isEmpty ? "no reason" : call.text
            report(.failed(reason), .failed(reason))
        case .reload: return try await reload(call.document, at: message.documentURL)
        }
        return "null"
    }

    /// Decodes a message and checks its sender.
    private func admit(_ message: ScriptMessage) throws(PageInterfaceRefusal) -> PageInterfaceMessage {
        guard !isOver, let host, let current = host.reference(of: page) else { throw .closed }
        let call = try PageInterfaceMessage(message.json, token: token)
        guard rate.admit(at: stopwatch.elapsed) else { throw .tooMany }
        guard host.isCovered(message.documentURL) else { throw .uncovered }
        if document == nil, !former.contains(call.document) {
            var reference = current
            reference.generations = host.packages(of: page).map(\.generation)
            document = Document(id: call.document, page: reference)
        }
        guard document?.id == call.document else { throw .former }
        return call
    }

    // MARK: Calls

    /// Sends the first report of the document.
    private func report(_ kind: BootReport.Kind, _ event: PageInterfaceEvent) {
        guard let document, !document.hasReported else { return }
        self.document?.hasReported = true
        host?.report(kind, of: document.page)
        host?.page(page, did: event)
    }

    private func reload(_ id: String, at place: String) async throws(PageInterfaceRefusal) -> String {
        guard await host?.adoptActiveVersions(of: page) == true else { return "false" }
        // The page may have navigated or closed meanwhile. Its next document uses the active version.
        guard !isOver, document?.id == id, let view else { throw .former }
        documentChanged()
        host?.page(page, did: .reloading)
        view.loading.reload(place)
        return "true"
    }

    // MARK: Notifications

    /// Waits for notifications. A message that waits already gets none.
    private func nextNotifications() async -> String {
        waiter?.resume(returning: "null")
        waiter = nil
        announceVersions()
        if let pending = takePending() { return pending }
        return await withCheckedContinuation { waiter = $0 }
    }

    /// Notifies the document of a changed network.
    func networkChanged(_ conditions: HostConditions) {
        guard document != nil else { return }
        notifications.network = PageInterfaceNotifications.Network(conditions)
        flush()
    }

    /// Notifies the document of versions that it does not use, each of them once. Of active versions, only those are
    /// notified to which a reload can change.
    func announceVersions() {
        guard document != nil, let package = host?.package(of: page) else { return }
        if let version = staged[package.id], version != package.version {
            announce(PageInterfaceNotifications.Version(package.id, version), as: \.update)
        }
        if let active = host?.activePackage(package.id), active.generation != package.generation,
            host?.canAdopt(active, for: page) == true
        {
            announce(PageInterfaceNotifications.Version(active.id, active.version), as: \.activated)
        }
        flush()
    }

    private func announce(
        _ version: PageInterfaceNotifications.Version,
        as type: WritableKeyPath<PageInterfaceNotifications, PageInterfaceNotifications.Version?>
    ) {
        guard document?.announced[keyPath: type] != version else { return }
        document?.announced[keyPath: type] = version
        notifications[keyPath: type] = version
    }

    private func flush() {
        guard let waiter, let pending = takePending() else { return }
        self.waiter = nil
        waiter.resume(returning: pending)
    }

    private func takePending() -> String? {
        guard notifications != PageInterfaceNotifications() else { return nil }
        defer { notifications = PageInterfaceNotifications() }
        return notifications.scriptJSON
    }

    // MARK: Documents

    /// Ends the current document, because another one was committed or the web process ended.
    func documentChanged() {
        if let document {
            former.append(document.id)
            if former.count > Self.formerLimit { former.removeFirst() }
        }
        document = nil
        hasRefused = false
        notifications = PageInterfaceNotifications()
        waiter?.resume(returning: "null")
        waiter = nil
    }

    /// Ends the channel. Later messages are refused.
    func end() {
        isOver = true
        documentChanged()
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine

/// Asks the host what pages want of it, and takes the safe answer where there is none.
///
/// Isolation: the main actor.
@MainActor
final class PagePromptController {
    weak var delegate: (any PageDelegate)?
    let options: PageRequestOptions
    private let send: @MainActor (PageID, PageRequestRecord) -> Void
    private var waiting: [PageID: [Asking]] = [:]
    /// The hosts that count as inside for a page: that of its opening, and those that the host let in.
    private var allowed: [PageID: Set<String>] = [:]

    /// The most hosts that are kept for one page.
    private static let hostLimit = 64

    init(_ options: PageRequestOptions, send: @escaping @MainActor (PageID, PageRequestRecord) -> Void) {
        self.options = options
        self.send = send
    }

    // MARK: Hosts

    func allow(_ authority: String, for page: PageID) {
        guard allowed[page, default: []].count < Self.hostLimit else { return }
        allowed[page, default: []].insert(authority)
    }

    /// Whether a page's document may be of there without a question.
    func isInside(_ authority: String, isSecure: Bool, for page: PageID) -> Bool {
        guard let hosts = options.hosts else { return true }
        return allowed[page]?.contains(authority) == true
            || hosts.contains { $0.matches(authority, defaultPort: isSecure ? 443 : 80) }
    }

    // MARK: Questions

    /// Asks the host.
    /// - Parameter prompt: is answered by `then`, or withdrawn by its engine, where the engine waits for it.
    /// - Returns: what takes the request back, which then gets its safe answer; `nil` where the host is not asked, and
    ///   `then` was called.
    @discardableResult
    func ask(
        _ request: PageRequest, of page: PageID, _ prompt: EnginePrompt?,
        then: @escaping @MainActor (PageAnswer) -> Void
    ) -> (@MainActor () -> Void)? {
        let end = { @MainActor [send] (answer: PageAnswer, ending: PageRequestRecord.Ending) in
            then(answer)
            send(page, PageRequestRecord(request: request, answer: answer, ending: ending))
        }
        guard let delegate else {
            end(request.safeAnswer, .noDelegate)
            return nil
        }
        guard waiting[page, default: []].count < options.waitingLimit else {
            end(request.safeAnswer, .tooMany)
            return nil
        }
        let asking = Asking(request) { [weak self] asking, answer, ending in
            self?.forget(asking, of: page)
            end(answer, ending)
        }
        waiting[page, default: []].append(asking)
        prompt?.onWithdrawal = { [weak asking] in asking?.resolve(request.safeAnswer, .pageGone) }
        let limit = request.isOfDocument ? options.documentLimit : options.limit
        asking.begin(delegate, limit, options.clock)
        return { [weak asking] in asking?.resolve(request.safeAnswer, .withdrawn) }
    }

    /// The host is not asked.
    func refuse(_ request: PageRequest, of page: PageID) {
        send(page, PageRequestRecord(request: request, answer: request.safeAnswer, ending: .ruledOut))
    }

    /// Whether a page waits for what the host says.
    func isWaiting(_ page: PageID) -> Bool { waiting[page] != nil }

    /// Whether a page stands still for a dialog.
    func hasDialog(_ page: PageID) -> Bool {
        waiting[page]?.contains { if case .dialog = $0.request { true } else { false } } == true
    }

    /// What the page asked for is of no use any more: its document is another one. A file may be saved all the same.
    func release(_ page: PageID) {
        resolve(page) { if case .download = $0 { false } else { true } }
    }

    func end(_ page: PageID) {
        resolve(page) { _ in true }
        allowed[page] = nil
    }

    private func resolve(_ page: PageID, where isMeant: (PageRequest) -> Bool) {
        for asking in waiting[page] ?? [] where isMeant(asking.request) {
            asking.resolve(asking.request.safeAnswer, .pageGone)
        }
    }

    private func forget(_ asking: Asking, of page: PageID) {
        waiting[page]?.removeAll { $0 === asking }
        if waiting[page]?.isEmpty == true { waiting[page] = nil }
    }
}

/// One request that waits for the host: it ends once, whoever comes first.
@MainActor
private final class Asking {
    let request: PageRequest
    private var onEnd: (@MainActor (Asking, PageAnswer, PageRequestRecord.Ending) -> Void)?
    private var tasks: [Task<Void, Never>] = []

    init(_ request: PageRequest, onEnd: @escaping @MainActor (Asking, PageAnswer, PageRequestRecord.Ending) -> Void) {
        self.request = request
        self.onEnd = onEnd
    }

    /// Owned: both tasks are cancelled by the end. Apart, since a host may not care that it was cancelled.
    func begin(_ delegate: any PageDelegate, _ limit: Duration, _ clock: any Clock<Duration>) {
        let request = request
        let asked = Task { [weak self] in
            do {
                let answer = try await request.put(to: delegate)
                self?.resolve(answer, .answered)
            } catch {
                self?.resolve(request.safeAnswer, .failed("\(error)"))
            }
        }
        let timer = Task { [weak self] in
            try? await clock.sleep(for: limit)
            guard !Task.isCancelled else { return }
            self?.resolve(request.safeAnswer, .timedOut)
        }
        tasks = [asked, timer]
    }

    func resolve(_ answer: PageAnswer, _ ending: PageRequestRecord.Ending) {
        guard let onEnd else { return }
        self.onEnd = nil
        for task in tasks { task.cancel() }
        tasks = []
        onEnd(self, answer, ending)
    }
}

extension PageRequest {
    var safeAnswer: PageAnswer {
        switch self {
        case .link: .link(.cancel)
        case .dialog(let request): .dialog(request.safeDecision)
        case .permission: .permission(.deny)
        case .download: .download(.cancel)
        }
    }

    fileprivate var isOfDocument: Bool {
        if case .link(let request) = self { request.reason == .otherHost } else { false }
    }

    @MainActor
    fileprivate func put(to delegate: any PageDelegate) async throws -> PageAnswer {
        switch self {
        case .link(let request): .link(try await delegate.link(request))
        case .dialog(let request): .dialog(try await delegate.dialog(request))
        case .permission(let request): .permission(try await delegate.permission(request))
        case .download(let request): .download(try await delegate.download(request))
        }
    }
}

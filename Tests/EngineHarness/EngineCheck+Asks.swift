// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import WebEngine
internal import WebKitGTKAdapter
internal import WebViewPool

// Requests of pages to the app.
extension EngineCheck {
    /// Checks dialogs, windows, other schemes, uncovered hosts and permissions. The cases are: no delegate, a delegate,
    /// a delegate that never responds, and pages that close during a prompt.
    @MainActor
    func checkAsks(_ mode: String?, in folder: String) async throws {
        guard let mode = mode.flatMap(InterceptionMode.init(rawValue:)) else {
            throw CheckFailure(description: "specify a mode")
        }
        let site = try await AskSite.start(for: mode)
        var configuration = site.configuration(mode, in: folder)
        let clock = ManualClock()
        configuration.clock = clock
        let container = try await Container(engine: WebKitGTKEngine(), configuration: configuration)
        let diary = AskDiary(container)
        try await checkWithoutHost(container, site, diary)
        let host = AskHost()
        container.pageDelegate = host
        try await checkDialogs(container, site, diary, host)
        try await checkLeaving(container, site, diary, host)
        try await checkLinks(container, site, diary, host)
        try await checkHosts(container, site, diary, host)
        try await checkPermissions(container, site, diary, host)
        try await checkSilence(container, site, diary, host, clock)
        try await checkEnds(container, site, diary, host)
        diary.end()
        await container.shutDown()
        await site.stop()
    }

    @MainActor
    private func checkWithoutHost(
        _ container: Container<WebKitGTKEngine>, _ site: AskSite, _ diary: AskDiary
    ) async throws {
        let page = try await open(site.home + "/one", in: container)
        let dialogs = try await page.view.evaluate(
            "return [typeof alert('a'), confirm('c'), prompt('p', 'd'), window.open('/new')]", in: .page)
        try expect(dialogs == #"["undefined",false,null,null]"#, "without a host: \(dialogs)")
        _ = try await page.view.evaluate("document.getElementById('tel').click()", in: .page)
        _ = try await page.view.evaluate(
            "onbeforeunload = event => event.preventDefault(); setTimeout(() => location.assign('/two'))", in: .page)
        try await seeInTime(page, "document.title", "\"two\"")
        for kind in ["dialog", "dialog", "dialog", "newWindow", "otherScheme", "dialog"] {
            let record = await diary.next()
            try expect(
                record?.kind == kind && record?.ending == .noDelegate, "without a host: \(String(describing: record))")
        }
        await container.close(page)
        // The page navigates to another scheme without a user gesture.
        let quiet = try await open(site.home + "/quiet", in: container)
        let record = await diary.next()
        try expect(record?.ending == .ruledOut && record?.link?.url == "tel:+1", "quiet: \(String(describing: record))")
        try await seeInTime(quiet, "document.title", "\"asked\"")
        await container.close(quiet)
        try expect(container.openPages.isEmpty, "pages are left")
    }

    /// Checks that the page waits for the host's response and receives it.
    @MainActor
    private func checkDialogs(
        _ container: Container<WebKitGTKEngine>, _ site: AskSite, _ diary: AskDiary, _ host: AskHost
    ) async throws {
        let page = try await open(site.home + "/one", in: container)
        let asked: [(String, DialogDecision, String)] = [
            ("typeof alert('text')", .cancel, "\"undefined\""), ("confirm('text')", .accept(), "true"),
            ("confirm('text')", .cancel, "false"), ("prompt('text', 'given')", .accept(), "\"given\""),
            ("prompt('text', 'given')", .accept(text: "typed ü"), "\"typed ü\""),
            ("prompt('text', 'given')", .cancel, "null"),
        ]
        for (call, decision, expected) in asked {
            host.holdsDialogs = true
            var isDone = false
            let said = Task {
                defer { isDone = true }
                return try await page.view.evaluate("return \(call)", in: .page)
            }
            let request = try await host.dialog()
            // Another call to the engine completes while the dialog is open: the dialog does not block the engine.
            _ = try await container.engine.cookies.all()
            try expect(!isDone, "\(call) did not wait")
            try expect(request.message == "text" && request.page.documentURL == site.home + "/one", "\(request)")
            host.answer(decision)
            let seen = try await said.value
            try expect(seen == expected, "\(call): \(seen), and not \(expected)")
            try expect(await diary.next()?.ending == .answered, call)
        }
        host.holdsDialogs = false
        await container.close(page)
    }

    /// Checks `beforeunload`: the page first stays, and then navigates.
    @MainActor
    private func checkLeaving(
        _ container: Container<WebKitGTKEngine>, _ site: AskSite, _ diary: AskDiary, _ host: AskHost
    ) async throws {
        let page = try await open(site.home + "/one", in: container)
        _ = try await page.view.evaluate("onbeforeunload = event => event.preventDefault()", in: .page)
        for (decision, title) in [(DialogDecision.cancel, "one"), (.accept(), "two")] {
            host.dialogAnswer = decision
            _ = try await page.view.evaluate("setTimeout(() => location.assign('/two'))", in: .page)
            let record = await diary.next()
            try expect(record?.answer == .dialog(decision), "to leave: \(String(describing: record))")
            try await seeInTime(page, "document.title", "\"\(title)\"")
        }
        await container.close(page)
    }

    /// Checks new windows and other schemes: the page stays, and the host receives real URLs.
    @MainActor
    private func checkLinks(
        _ container: Container<WebKitGTKEngine>, _ site: AskSite, _ diary: AskDiary, _ host: AskHost
    ) async throws {
        let page = try await open(site.home + "/one", in: container)
        host.linkAnswer = .handled
        for (script, reason, url) in [
            ("window.open('/new?a')", LinkRequest.Reason.newWindow, site.home + "/new?a"),
            ("document.getElementById('blank').click()", .newWindow, site.home + "/blank?q"),
            ("document.getElementById('tel').click()", .otherScheme, "tel:+123"),
            ("location.href = 'mailto:a@b.example'", .otherScheme, "mailto:a@b.example"),
            ("window.open('shop-app://open?x=1')", .otherScheme, "shop-app://open?x=1"),
        ] {
            _ = try await page.view.evaluate(script, in: .page)
            let record = await diary.next()
            try expect(
                record?.link?.reason == reason && record?.link?.url == url && record?.link?.isUserGesture == true
                    && record?.answer == .link(.handled), "\(script): \(String(describing: record))")
            try await seeInTime(page, "document.title", "\"one\"")
        }
        host.linkAnswer = .openHere
        _ = try await page.view.evaluate("window.open('/new')", in: .page)
        _ = await diary.next()
        try await seeInTime(page, "document.title", "\"new\"")
        // Nothing is saved, and nothing is pending.
        for script in ["document.getElementById('save').click()", "location.assign('/saved')"] {
            _ = try await page.view.evaluate(script, in: .page)
            let record = await diary.next()
            try expect(record?.answer == .download(.cancel), "\(script): \(String(describing: record))")
        }
        try await seeInTime(page, "document.title", "\"new\"")
        let before = container.counters.pool.ended
        await container.close(page)
        let ends = container.counters.pool.ended.filter { before[$0.key] != $0.value }.keys.map(\.description)
        try expect(ends == ["retired: opened-window"], "the view that opened a window: \(ends)")
    }

    /// Checks documents of uncovered hosts, also after redirects but not in frames.
    @MainActor
    private func checkHosts(
        _ container: Container<WebKitGTKEngine>, _ site: AskSite, _ diary: AskDiary, _ host: AskHost
    ) async throws {
        for (place, url, decision) in [
            ("document.links[0].click()", site.outside + "/there", LinkDecision.cancel),
            ("location.assign('/moved')", site.outside + "/there", .handled),
            ("document.links[0].click()", site.outside + "/there", .openHere),
        ] {
            let page = try await open(site.home + "/frame", in: container)
            try await seeInTime(page, "window.length", "1")
            host.linkAnswer = decision
            _ = try await page.view.evaluate("setTimeout(() => \(place))", in: .page)
            let record = await diary.next()
            try expect(
                record?.link?.reason == .otherHost && record?.link?.url == url && record?.answer == .link(decision),
                "\(place): \(String(describing: record))")
            // In custom-scheme mode, the cancelled navigation has already replaced the page.
            let isLeft = decision == .handled && page.session.mode == .customScheme
            let title = decision == .openHere ? "there" : isLeft ? "" : "frame"
            try await seeInTime(page, "document.title", "\"\(title)\"")
            await container.close(page)
        }
    }

    @MainActor
    private func checkPermissions(
        _ container: Container<WebKitGTKEngine>, _ site: AskSite, _ diary: AskDiary, _ host: AskHost
    ) async throws {
        let page = try await open(site.home + "/one", in: container)
        let code = try await page.view.evaluate(
            """
            return await new Promise(done =>
                navigator.geolocation.getCurrentPosition(() => done(0), error => done(error.code)));
            """, in: .page)
        var record = await diary.next()
        try expect(
            code == "1" && record?.permission?.permissions == [.geolocation] && record?.ending == .answered,
            "geolocation: \(code) \(String(describing: record))")
        host.permissionAnswer = .allow
        let read = try await page.view.evaluate(
            "return await navigator.clipboard.readText().then(() => 'read', error => error.name)", in: .page)
        record = await diary.next()
        try expect(
            read == "\"read\"" && record?.permission?.permissions == [.clipboard],
            "clipboard: \(read) \(String(describing: record))")
        host.permissionAnswer = .deny
        let notifications = try await page.view.evaluate("return await Notification.requestPermission()", in: .page)
        try expect(notifications == "\"denied\"", "notifications: \(notifications)")
        await container.close(page)
    }

    /// Checks a host that never responds: the page continues after the limit.
    @MainActor
    private func checkSilence(
        _ container: Container<WebKitGTKEngine>, _ site: AskSite, _ diary: AskDiary, _ host: AskHost,
        _ clock: ManualClock
    ) async throws {
        diary.skip()
        let page = try await open(site.home + "/one", in: container)
        host.holdsDialogs = true
        let said = Task { try await page.view.evaluate("return confirm('text')", in: .page) }
        _ = try await host.dialog()
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(60))
        let seen = try await said.value
        let record = await diary.next()
        try expect(seen == "false" && record?.ending == .timedOut, "silence: \(seen) \(String(describing: record))")
        host.answer(.cancel)
        host.holdsDialogs = false
        await container.close(page)
    }

    /// Checks pages that are closed, killed or navigated while a dialog is open.
    @MainActor
    private func checkEnds(
        _ container: Container<WebKitGTKEngine>, _ site: AskSite, _ diary: AskDiary, _ host: AskHost
    ) async throws {
        host.dialogAnswer = .cancel
        for end in ["close", "kill", "load"] {
            host.holdsDialogs = true
            let page = try await open(site.home + "/one", in: container)
            let place = try await page.view.evaluate("return location.href", in: .page)
            let said = Task { try await page.view.evaluate("return confirm('text')", in: .page) }
            _ = try await host.dialog()
            let before = container.counters.pool.ended
            switch end {
            case "kill": for process in try childProcesses(named: "WebKitWebProces") { kill(process, SIGKILL) }
            case "load": page.view.load(String(place.dropFirst().dropLast().dropLast(3)) + "two")
            default: await container.close(page)
            }
            let record = await diary.next()
            try expect(record?.ending == .pageGone, "\(end): \(String(describing: record))")
            _ = try? await said.value
            if end == "load" { try await seeInTime(page, "document.title", "\"two\"") }
            if end == "close" {
                let ends = container.counters.pool.ended.filter { before[$0.key] != $0.value }.keys.map(\.description)
                try expect(ends == ["retired: open-dialog"], "closed with a dialog: \(ends)")
            }
            host.answer(.cancel)
            host.holdsDialogs = false
            await container.close(page)
            let next = try await open(site.home + "/one", in: container)
            try await seeInTime(next, "confirm('next')", "false")
            diary.skip()
            await container.close(next)
        }
    }
}

/// A delegate with configurable responses.
@MainActor
private final class AskHost: PageDelegate {
    var linkAnswer = LinkDecision.cancel
    var dialogAnswer = DialogDecision.cancel
    var permissionAnswer = PermissionDecision.deny
    /// A Boolean value that indicates whether dialogs wait for ``answer(_:)``.
    var holdsDialogs = false
    private let (asked, ask) = AsyncStream<DialogRequest>.makeStream()
    private var held: CheckedContinuation<DialogDecision, Never>?

    /// Returns the next dialog that waits.
    func dialog() async throws -> DialogRequest {
        for await request in asked { return request }
        throw CancellationError()
    }

    func answer(_ decision: DialogDecision) {
        held?.resume(returning: decision)
        held = nil
    }

    func link(_ request: LinkRequest) async throws -> LinkDecision { linkAnswer }
    func permission(_ request: PermissionRequest) async throws -> PermissionDecision { permissionAnswer }

    func dialog(_ request: DialogRequest) async throws -> DialogDecision {
        guard holdsDialogs else { return dialogAnswer }
        return await withCheckedContinuation { continuation in
            held = continuation
            ask.yield(request)
        }
    }
}

/// A record of the ended page requests, in order.
@MainActor
private final class AskDiary {
    private var records: [PageRequestRecord] = []
    private var read = 0
    private let (changes, change) = AsyncStream<Void>.makeStream()
    private var observation: EventObservation?

    init(_ container: Container<WebKitGTKEngine>) {
        observation = container.observe { [weak self] event in
            guard case .pageRequest(_, let record) = event else { return }
            self?.records.append(record)
            self?.change.yield()
        }
    }

    func next() async -> PageRequestRecord? {
        while records.count <= read {
            for await _ in changes { break }
            if Task.isCancelled { return nil }
        }
        read += 1
        return records[read - 1]
    }

    /// Skips the existing records.
    func skip() { read = records.count }

    func end() { observation?.end() }
}

extension PageRequestRecord {
    fileprivate var link: LinkRequest? { if case .link(let request) = request { request } else { nil } }
    fileprivate var permission: PermissionRequest? {
        if case .permission(let request) = request { request } else { nil }
    }
    fileprivate var kind: String {
        switch request {
        case .link(let request): "\(request.reason)"
        case .dialog: "dialog"
        case .permission: "permission"
        case .download: "download"
        }
    }
}

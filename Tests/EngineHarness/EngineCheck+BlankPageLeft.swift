// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) internal import ContainerKit
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import OfflinePackage
internal import PackageFormat
internal import PackagePublisher
internal import ResourceLoading
internal import WebEngine
internal import WebKitGTKAdapter

// Pages that look blank or do not respond: some must be recovered, others must not.
extension EngineCheck {
    /// Checks that pages with a reason to show nothing are not recovered. They stay open until a blank page has reached
    /// its last recovery step. The blank page has its own origin, because over loopback pending requests of an origin
    /// postpone the recovery of all its pages.
    @MainActor
    func checkQuietPages(_ mode: String?, in folder: String) async throws {
        let site = BlankPageSite(folder: folder)
        let container = try await blankPageContainer(mode, site)
        let delegate = SilentDelegate()
        container.pageDelegate = delegate
        try await site.install("1", BlankPageSite.good("1"), QuietPages.packaged, into: container)
        var touched: [PageID: BlankPageStep] = [:]
        let observation = container.observe { if case .blankPage(let page, let step) = $0 { touched[page] = step } }
        var pages: [String: Page<WebKitGTKView>] = [:]
        for name in QuietPages.packaged.keys.sorted() {
            pages[name] = try await container.open("https://shop.example/\(name)") { view in
                try view.setMessageHandler(named: "login", in: .page) { _ in
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                    throw CancellationError()
                }
            }
        }
        for name in QuietPages.network.keys.sorted() {
            pages[name] = try await container.open("https://other.shop.example/\(name)")
        }
        let blank = try await open("https://other.shop.example/start", in: container)
        _ = try await blank.view.evaluate("setTimeout(() => location.assign('about:blank'))", in: .page)
        try await seeInTime(blank, "location.href", "\"about:blank\"")
        pages["about:blank"] = blank
        let diary = StepDiary(container)
        let package = try site.publish("1", BlankPageSite.throwing, id: "third", base: "https://third.shop.example/")
        try await container.install(archive: package.archive, manifest: package.manifest)
        let white = try await container.open("https://third.shop.example/index.html")
        // Over loopback, a package cannot be removed from one page only.
        let isShared = white.session.mode != .customScheme
        for kind in isShared ? [BlankPageStep.Kind.reloaded] : [.reloaded, .reloadedWithoutPackage] {
            let step = await diary.next()
            try expect(step?.kind == kind, "the blank page: \(String(describing: step))")
        }
        for (name, page) in pages {
            try expect(touched[page.session.id] == nil, "\(name): \(String(describing: touched[page.session.id]))")
        }
        try expect(touched[white.session.id] != nil && delegate.dialogs > 0, "dialogs: \(delegate.dialogs)")
        observation.end()
        for page in pages.values { await container.close(page) }
        await container.shutDown()
    }

    /// Checks a script that never ends. If the page has painted nothing, its process is ended and the page is
    /// reloaded; a painted page is not recovered.
    @MainActor
    func checkHangs(_ mode: String?, in folder: String) async throws {
        let site = BlankPageSite(folder: folder)
        let container = try await blankPageContainer(mode, site) {
            $0.silence = .seconds(1)
            $0.signals.insert(.unresponsive)
        }
        try await site.install("1", BlankPageSite.good("1"), QuietPages.hanging, into: container)
        var steps: [PageID: BlankPageStep] = [:]
        let observation = container.observe { if case .blankPage(let page, let step) = $0 { steps[page] = step } }
        let shown = try await container.open("https://shop.example/shown.html")
        try await seeInTime(shown, "document.body.dataset.begun", "\"\"")
        let diary = StepDiary(container)
        let hanging = try await container.open("https://shop.example/hangs.html")
        let step = await diary.next()
        try expect(
            step?.kind == .reloaded && step?.signal == .unresponsive && steps[hanging.session.id] == step,
            "a hanging page: \(String(describing: step))")
        try expect(steps[shown.session.id] == nil, "a painted page: \(steps)")
        observation.end()
        await container.close(hanging)
        await container.close(shown)
        await container.shutDown()
    }

    /// Checks the optional signals: a page whose script shows nothing, and a painted page with a single colour. Each
    /// page is reloaded, then reloaded without its package. The package is not marked as failed.
    @MainActor
    func checkWantedSignals(_ mode: String?, in folder: String) async throws {
        let site = BlankPageSite(folder: folder)
        let container = try await blankPageContainer(mode, site) {
            $0.signals.formUnion([.noFirstPaint, .uniformPicture])
        }
        try await site.install("1", BlankPageSite.good("1"), into: container)
        try site.publish("2", BlankPageSite.good("2"), QuietPages.colourless)
        // Version 2 is on trial: the next healthy page proves it, and a failure ends the trial.
        let update = try await container.update(
            from: PackageSource(
                "https://packages.example/shop-2.json", scope: PackageBaseURL("https://shop.example/")))
        try expect(update.outcome == .activated, "the update: \(update.outcome)")
        for (name, signal) in [("idle.html", BlankPageSignal.noFirstPaint), ("unseen.html", .uniformPicture)] {
            let diary = StepDiary(container)
            let page = try await container.open("https://shop.example/\(name)")
            for kind in [BlankPageStep.Kind.reloaded, .reloadedWithoutPackage] {
                let step = await diary.next()
                try expect(step?.kind == kind && step?.signal == signal, "\(name): \(String(describing: step))")
            }
            try await seeInTime(page, "document.title", "\"network\"")
            await container.close(page)
        }
        try expect(
            container.installedPackages.map(\.version.description) == ["2"], "\(container.installedPackages)")
        await container.shutDown()
    }
}

/// A delegate that never responds to a dialog.
@MainActor
private final class SilentDelegate: PageDelegate {
    private(set) var dialogs = 0

    func dialog(_ request: DialogRequest) async throws -> DialogDecision {
        dialogs += 1
        for await _ in AsyncStream<Void>.makeStream().stream {}
        throw CancellationError()
    }
}

/// Pages that must not be recovered, by name.
enum QuietPages {
    private static let fails = "<script>throw new Error('boot')</script>"

    /// Pages of a package. All have an error at boot, which would otherwise count as a failure.
    static let packaged = [
        "shown.html": "<!doctype html><p>Something is here.\(fails)",
        "frame.html": "<!doctype html><iframe srcdoc='<h1>Here</h1>'></iframe>\(fails)",
        "canvas.html": """
        <!doctype html><canvas width=200 height=200></canvas><script>
        const pen = document.querySelector('canvas').getContext('2d');
        pen.fillStyle = 'red';
        pen.fillRect(10, 10, 100, 100);
        </script>\(fails)
        """,
        "waits.html": "<!doctype html><div id=app></div><script>fetch('/held-data')</script>\(fails)",
        "loads.html": "<!doctype html><div id=app></div>\(fails)<script src=/held.js></script>",
        "asks.html": "<!doctype html><div id=app></div><script>setTimeout(() => confirm('Go on?'))</script>\(fails)",
        "logsIn.html":
            "<!doctype html><div id=app></div><script>webkit.messageHandlers.login.postMessage(1)</script>\(fails)",
        "leaves.html": "<!doctype html><script>location.replace('/held-page')</script>\(fails)",
        "late.html": """
        <!doctype html><script>
        setTimeout(() => { document.open(); document.write('<p>Late, and here.'); document.close() }, 50);
        </script>\(fails)
        """,
    ]

    private static func linking(_ link: String) -> String { "<!doctype html><link href=/gone.css \(link)><div></div>" }

    /// Pages of the network: type, header fields and text.
    static let network: [String: (type: String, fields: HTTPFields, text: String)] = [
        "refresh": ("text/html", [.refresh: "0; url=/held-page"], ""),
        "refreshLater": ("text/html", [.refresh: "600; url=/held-page"], ""),
        "print": ("text/html", [:], linking("rel=stylesheet media=print")),
        "alternate": ("text/html", [:], linking("rel='alternate stylesheet' title=other")),
        "disabled": ("text/html", [:], linking("rel=stylesheet disabled")),
        "nothing": ("text/html", [:], ""),
        "download": ("application/octet-stream", [.contentDisposition: "attachment; filename=a.bin"], "bytes"),
        "splash": ("text/html", [:], "<!doctype html><body style='background: #0a0'><script>window.app = 1</script>"),
        "blank": ("text/html", [:], "<!doctype html><div id=app></div><script>throw new Error('of a server')</script>"),
        "text": ("text/plain", [:], ""),
        "picture": ("image/svg+xml", [:], "<svg xmlns='http://www.w3.org/2000/svg' width='10' height='10'/>"),
        "counted": (
            "text/html", [:], "<!doctype html><div id=app></div><script async src=/gone.js></script><script></script>"
        ),
    ]

    /// A page that hangs before its first paint, and a page that hangs after it.
    static let hanging = [
        "hangs.html": "<!doctype html><p>Never seen.<script>for (;;) {}</script>",
        "shown.html": """
        <!doctype html><p>Here.<script>
        requestAnimationFrame(() => setTimeout(() => {
            document.body.dataset.begun = '';
            setTimeout(() => { const end = Date.now() + 20000; while (Date.now() < end) {} }, 300);
        }, 100));
        </script>
        """,
    ]

    /// Pages that count as blank only if an app enables it.
    static let colourless = [
        "idle.html": "<!doctype html><div id=app></div><script>window.app = 1</script>",
        "unseen.html": "<!doctype html><p style='color: white'>White on white.",
    ]

    static func answer(_ name: String) throws -> TransportResponse {
        guard let page = network[name] else { throw CancellationError() }
        var fields = page.fields
        fields[.contentType] = page.type
        return TransportResponse(
            head: HTTPResponse(status: name == "nothing" ? .noContent : .ok, headerFields: fields),
            body: page.text.isEmpty ? .empty : .bytes(Data(page.text.utf8)))
    }
}

extension HTTPField.Name {
    /// The `Refresh` field as browsers interpret it; WHATWG HTML, section 7.4.4.
    fileprivate static let refresh = HTTPField.Name("Refresh") ?? .location
}

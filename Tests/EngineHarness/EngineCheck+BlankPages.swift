// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import OfflinePackage
internal import PackageFormat
internal import WebEngine
internal import WebKitGTKAdapter

// Pages that stay blank.
extension EngineCheck {
    /// Checks a killed web process, a version that throws at boot, an empty version and an unavailable page. Each page
    /// is reloaded, reloaded without its package, or replaced by an error page with a retry.
    @MainActor
    func checkBlankPages(_ mode: String?, in folder: String) async throws {
        let site = BlankPageSite(folder: folder)
        let container = try await blankPageContainer(mode, site)
        try await checkKilled(container, site)
        try await checkVersion("2", of: BlankPageSite.throwing, signal: .bootError, container, site)
        try await checkVersion("3", of: "", signal: .emptyDocument, container, site)
        try await checkVersion("4", of: BlankPageSite.incomplete, signal: .failedResource, container, site)
        try await checkErrorPage(container, site)
        try await checkForm(container, site)
        try await checkHost(container)
        try await checkVisibility(container)
        await container.shutDown()
    }

    @MainActor
    func blankPageContainer(
        _ mode: String?, _ site: BlankPageSite, change: (inout BlankPageOptions) -> Void = { _ in }
    ) async throws -> Container<WebKitGTKEngine> {
        guard let mode = mode.flatMap(InterceptionMode.init(rawValue:)) else {
            throw CheckFailure(description: "specify a mode")
        }
        var configuration = site.configuration
        configuration.pages.mode = mode
        var options = BlankPageOptions()
        (options.grace, options.firstPaint) = (.milliseconds(200), .seconds(1))
        change(&options)
        configuration.pages.blankPages = options
        return try await Container(engine: WebKitGTKEngine(), configuration: configuration)
    }

    /// Checks SIGKILL: a healthy page is restored from its package three times, and then the error page is shown.
    @MainActor
    private func checkKilled(_ container: Container<WebKitGTKEngine>, _ site: BlankPageSite) async throws {
        try await site.install("1", BlankPageSite.good("1"), into: container)
        let diary = StepDiary(container)
        let page = try await open(BlankPageSite.url, in: container)
        let world = try await page.view.evaluate(
            """
            return [typeof window.webkit?.messageHandlers?.['containerkit-health'],
                Object.keys(window).filter(name => /health/i.test(name)).length];
            """, in: .page)
        try expect(world == #"["undefined",0]"#, "visible to the page: \(world)")
        for (step, title) in [
            (BlankPageStep.Kind.reloaded, "1"), (.reloaded, "1"), (.reloaded, "1"),
            (.showedErrorPage, "This page could not be shown"),
        ] {
            try await waitUntilQuiet(page)
            // The paint is reported before the process is killed.
            try await seeInTime(page, "performance.getEntriesByType('paint').length > 0", "true")
            for _ in 0..<2 { try await seeInTime(page, "document.readyState", "\"complete\"") }
            for process in try childProcesses(named: "WebKitWebProces") { kill(process, SIGKILL) }
            let seen = await diary.next()
            try expect(seen?.kind == step && seen?.signal == .processEnded, "killed: \(String(describing: seen))")
            try await seeInTime(page, "document.title", "\"\(title)\"")
        }
        // The error page has an opaque origin and no script.
        try await seeInTime(
            page, "(() => { try { return localStorage.length } catch (error) { return error.name } })()",
            "\"SecurityError\"")
        try await seeInTime(page, "[origin, document.scripts.length, location.href]", #"["null",0,"about:blank"]"#)
        try await retry(page, diary)
        // In a view whose process has ended, the error page gets its own history entry.
        let entries = page.session.mode == .loopbackServer ? 5 : 2
        try await seeInTime(page, "[document.title, history.length]", "[\"1\",\(entries)]")
        await container.close(page)
        let next = try await open(BlankPageSite.url, in: container)
        try await seeInTime(next, "document.title", "\"1\"")
        await container.close(next)
    }

    /// Checks that a blank version on trial is rolled back, and that the page shows the former version.
    @MainActor
    private func checkVersion(
        _ version: String, of html: String, signal: BlankPageSignal, _ container: Container<WebKitGTKEngine>,
        _ site: BlankPageSite
    ) async throws {
        try site.publish(version, html)
        let update = try await container.update(
            from: PackageSource(
                "https://packages.example/shop-\(version).json", scope: PackageBaseURL("https://shop.example/")))
        try expect(update.outcome == .activated, "the update: \(update.outcome)")
        let diary = StepDiary(container)
        let events = container.events
        let page = try await container.open(BlankPageSite.url)
        let (first, second) = (await diary.next(), await diary.next())
        try expect(
            first?.kind == .reloaded && second?.kind == .reloadedWithoutPackage && second?.signal == signal,
            "version \(version): \(String(describing: first)) \(String(describing: second))")
        for await case .package(.quarantined(_, let bad, let reason)) in events {
            try expect(bad.description == version && reason.hasPrefix(signal.rawValue), "\(bad): \(reason)")
            break
        }
        try await seeInTime(page, "document.title", "\"1\"")
        await container.close(page)
        try expect(
            container.installedPackages.map(\.version.description) == ["1"], "\(container.installedPackages)")
    }

    /// Checks an unavailable page: the error page replaces it, and a retry shows it after the network is repaired.
    @MainActor
    private func checkErrorPage(_ container: Container<WebKitGTKEngine>, _ site: BlankPageSite) async throws {
        let diary = StepDiary(container)
        let page = try await container.open("https://other.shop.example/hollow")
        let step = await diary.next()
        try expect(
            step?.kind == .showedErrorPage && step?.signal == .loadFailed, "lost: \(String(describing: step))")
        try await seeInTime(page, "document.title", "\"This page could not be shown\"")
        site.network.repair()
        try await retry(page, diary)
        try await seeInTime(page, "document.title", "\"mended\"")
        await container.close(page)
    }

    /// Checks that a form is not submitted again when its process ends.
    @MainActor
    private func checkForm(_ container: Container<WebKitGTKEngine>, _ site: BlankPageSite) async throws {
        let diary = StepDiary(container)
        let page = try await open("https://other.shop.example/start", in: container)
        _ = try await page.view.evaluate(
            """
            const form = document.body.appendChild(document.createElement('form'));
            form.method = 'post';
            form.action = '/posted';
            setTimeout(() => form.submit());
            """, in: .page)
        try await seeInTime(page, "document.title", "\"posted\"")
        try await waitUntilQuiet(page)
        for process in try childProcesses(named: "WebKitWebProces") { kill(process, SIGKILL) }
        let step = await diary.next()
        try expect(step?.kind == .showedErrorPage, "a form: \(String(describing: step))")
        try await seeInTime(page, "document.title", "\"This page could not be shown\"")
        try expect(site.network.posts == 1, "sent \(site.network.posts) times")
        await container.close(page)
    }

    @MainActor
    private func retry(_ page: Page<WebKitGTKView>, _ diary: StepDiary) async throws {
        try await seeInTime(page, "!!document.querySelector('a[data-heard]')", "true")
        _ = try? await page.view.evaluate("document.querySelector('a').click()", in: .page)
        let step = await diary.next()
        try expect(step?.kind == .retried, "tried again: \(String(describing: step))")
    }

    /// Waits until the page has loaded its visible content.
    @MainActor
    func waitUntilQuiet(_ page: Page<WebKitGTKView>) async throws {
        try await seeInTime(page, "document.readyState", "\"complete\"")
    }
}

/// A record of the recovery steps of a container, in order.
@MainActor
final class StepDiary {
    private let events: AsyncStream<ContainerEvent>

    init(_ container: Container<WebKitGTKEngine>) {
        events = container.events
    }

    func next() async -> BlankPageStep? {
        for await case .blankPage(_, let step) in events { return step }
        return nil
    }
}

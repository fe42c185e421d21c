// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) internal import ContainerKit
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import OfflinePackage
internal import PackageFormat
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

// The interface of a page to its container.
extension EngineCheck {
    /// Checks the object of pages, and the reload of a page with a new version while another page keeps the old one.
    /// - Parameters:
    ///   - name: the mode.
    ///   - declarations: the path of the declarations for TypeScript.
    @MainActor
    func checkPageInterface(_ name: String?, _ declarations: String?, in folder: String) async throws {
        guard let mode = name.flatMap({ CheckedMode(rawValue: $0) }), let declarations else {
            throw CheckFailure(description: "specify \(CheckedMode.names), and a file of declarations")
        }
        let container = try await interfaceContainer(mode, in: folder)
        var calls: [PageInterfaceEvent] = []
        container.observe { if case .pageInterface(_, let call) = $0 { calls.append(call) } }
        try await installShop(Self.interfaceSite("1"), "1", into: container, folder)
        let one = try await open("https://shop.example/app/a.html", in: container)
        let two = try await open("https://shop.example/app/b.html", in: container)
        try await seeObject(one, declarations)
        try await seeFrames(one, isCrossOrigin: mode == .scheme || mode == .proxy)
        try await seeVersion(one, "1", "before the update")
        try await seeVersion(two, "1", "before the update, the second page")

        for page in [one, two] {
            _ = try await page.view.evaluate(
                """
                self.seen = [];
                containerkit.addEventListener('activated', detail => seen.push(`${detail.id} ${detail.version}`));
                """, in: .page)
        }
        try await installShop(Self.interfaceSite("2"), "2", into: container, folder)
        try await seeInTime(one, "seen.join()", #""shop 2""#)
        try await seeInTime(two, "seen.join()", #""shop 2""#)
        try await seeVersion(one, "1", "after the update")
        // Each page requests its files alternately, so that both versions pass through the engine's caches.
        try await reload(one, "2")
        for round in 0..<2 {
            try await seeVersion(one, "2", "after the reload, round \(round)")
            try await seeVersion(two, "1", "after the reload, the second page, round \(round)")
        }
        let again = try await one.view.evaluate("return await containerkit.reload()", in: .page)
        try expect(again == "false", "a reload without a newer version: \(again)")
        // The frame's message may be reported as refused.
        let own = calls.filter { if case .refused = $0 { false } else { true } }
        try expect(own == [.reloading], "calls: \(calls)")

        try await checkTrial(one, container, folder)
        try await reload(two, "2")
        try await seeVersion(two, "2", "the second page, in the end")
        await container.close(two)
        await container.close(one)
        await container.shutDown()
    }

    /// Checks that a version whose page reports a failure is rolled back, and that the page can leave it.
    @MainActor
    private func checkTrial(
        _ page: Page<WebKitGTKView>, _ container: Container<WebKitGTKEngine>, _ folder: String
    ) async throws {
        _ = try buildShop(Self.interfaceSite("3"), "3", folder)
        let update = try await container.update(
            from: PackageSource("https://packages.example/shop-3.json", scope: PackageBaseURL("https://shop.example/")))
        try expect(update.outcome == .activated, "the update: \(update.outcome)")
        try await reload(page, "3")
        let events = container.events
        _ = try await page.view.evaluate("await containerkit.failed(new Error('broken'))", in: .page)
        for await case .package(.scopeChanged(let change)) in events where change.reason != .activated {
            try expect(change.reason == .rolledBack("Error: broken"), "\(change.reason)")
            break
        }
        try await seeVersion(page, "3", "after the rollback")
        try await reload(page, "2")
        try await seeVersion(page, "2", "after the rollback and a reload")
        let ready = try await page.view.evaluate("return await containerkit.ready()", in: .page)
        try expect(ready == "null", "ready: \(ready)")
    }

    /// Calls `reload()` of a page and waits until it shows a version.
    @MainActor
    private func reload(_ page: Page<WebKitGTKView>, _ version: String) async throws {
        _ = try await page.view.evaluate("containerkit.reload(); return 1", in: .page)
        try await seeInTime(page, "document.readyState + document.title", #""complete\#(version)""#)
    }

    /// Expects that all content of a page has a version, also content that is requested later.
    @MainActor
    private func seeVersion(_ page: Page<WebKitGTKView>, _ version: String, _ when: String) async throws {
        let seen = try await page.view.evaluate(
            """
            const seen = [document.title, self.app];
            seen.push(getComputedStyle(document.body).getPropertyValue('--version').trim());
            for (const cache of ['default', 'no-store']) seen.push(await (await fetch('late.txt', { cache })).text());
            seen.push((await containerkit.package()).version);
            return seen.join();
            """, in: .page)
        let expected = Array(repeating: version, count: 6).joined(separator: ",")
        try expect(seen == "\"\(expected)\"", "\(when): \(seen)")
    }

    /// Expects that the object of a page is frozen and has the declared members.
    @MainActor
    private func seeObject(_ page: Page<WebKitGTKView>, _ declarations: String) async throws {
        let text = try String(contentsOfFile: declarations, encoding: .utf8)
        let body = text.components(separatedBy: "interface ContainerKitPage {\n").last?.components(separatedBy: "\n}")
            .first
        let declared = Set(
            (body ?? "").split(separator: "\n").compactMap { $0.prefixMatch(of: #/  (\w+)[(<]/#).map { String($0.1) } })
        let found = try await page.view.evaluate(
            """
            'use strict';
            const failures = [];
            const refuse = (what, body) => { try { body(); failures.push(what) } catch {} };
            refuse('assign', () => { containerkit = 1 });
            refuse('delete', () => { delete self.containerkit });
            refuse('redefine', () => Object.defineProperty(self, 'containerkit', { value: 1 }));
            refuse('member', () => { containerkit.ready = 1 });
            refuse('function', () => { containerkit.ready.name2 = 1 });
            if (!Object.isFrozen(containerkit) || Object.getPrototypeOf(containerkit)) failures.push('frozen');
            const network = await containerkit.network();
            if (network.online !== true) failures.push('network');
            return [...failures, ...Reflect.ownKeys(containerkit)];
            """, in: .page)
        let members = try JSONDecoder().decode([String].self, from: Data(found.utf8))
        try expect(members.count == 7 && Set(members) == declared, "members: \(members), declared: \(declared)")
    }

    /// Expects that frames have no object, and that the container refuses their messages.
    @MainActor
    private func seeFrames(_ page: Page<WebKitGTKView>, isCrossOrigin: Bool) async throws {
        let place = isCrossOrigin ? "frame.src = location.protocol + '//b.shop.example/'" : "frame.srcdoc = '<p>'"
        let found = try await withLimit(.seconds(20), "a frame does not report") {
            try await page.view.evaluate(
                """
                const frame = document.createElement('iframe');
                const report = isCross => new Promise(done => isCross
                    ? addEventListener('message', event => done(event.data), { once: true })
                    : frame.addEventListener('load', async () => {
                        const inner = frame.contentWindow;
                        const handler = inner.webkit?.messageHandlers?.['containerkit-interface'];
                        let forged = 'accepted';
                        try { await handler.postMessage('0 1 ready ') } catch { forged = 'refused' }
                        done([typeof inner.containerkit, forged].join());
                    }));
                const reported = report(\(isCrossOrigin));
                \(place);
                document.body.append(frame);
                const found = await reported;
                frame.remove();
                return found;
                """, in: .page)
        }
        try expect(found == #""undefined,refused""#, "a frame: \(found)")
    }

    // MARK: Site

    @MainActor
    private func interfaceContainer(
        _ mode: CheckedMode, in folder: String
    ) async throws -> Container<WebKitGTKEngine> {
        var configuration = mode.configuration(ContainerConfiguration(directory: folder + "/store"))
        configuration.network.transport = MemoryTransport { request in
            switch request.authority {
            case "packages.example":
                let name = request.path.flatMap { $0.split(separator: "/").last } ?? ""
                return TransportResponse(
                    head: HTTPResponse(status: .ok),
                    body: .bytes(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/packages/\(name)"))))
            case "b.shop.example":
                return .page(
                    """
                    <script>
                    (async () => {
                        let forged = 'accepted';
                        try {
                            await webkit.messageHandlers['containerkit-interface'].postMessage('0 1 ready ');
                        } catch { forged = 'refused' }
                        parent.postMessage([typeof containerkit, forged].join(), '*');
                    })()
                    </script>
                    """)
            default: throw ResourceError(.offline, "cut")
            }
        }
        configuration.views.warmsUpWhenIdle = false
        configuration.network.coveredHosts = ["shop.example", "*.shop.example"].compactMap { HostPattern($0) }
        configuration.pages.interface = PageInterfaceOptions()
        return try await Container(engine: WebKitGTKEngine(), configuration: configuration)
    }

    private static func interfaceSite(_ version: String) -> [String: String] {
        let document = """
            <!doctype html><title>\(version)</title><link rel="stylesheet" href="style.css">
            <script src="app.js"></script><body>\(version)
            """
        return [
            "a.html": document, "b.html": document, "app.js": "self.app = '\(version)'",
            "style.css": "body { --version: \(version) }", "late.txt": version,
        ]
    }
}

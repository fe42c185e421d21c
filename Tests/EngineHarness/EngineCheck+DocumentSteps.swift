// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import WebEngine
internal import WebKitGTKAdapter

// The same navigations in document mode and in the plain engine.
extension EngineCheck {
    /// A navigation of a page.
    private struct DocumentStep {
        let script: String
        /// The path, query and fragment of the document to which the script leads.
        let place: String
        /// A Boolean value that indicates whether the document stays; `nil` if that depends on the mode.
        var isSameDocument: Bool? = false
    }

    /// Checks that URLs, titles, referrers, states and the history are those of the plain engine after each step.
    @MainActor
    func checkSteps(_ container: Container<WebKitGTKEngine>, _ site: DocumentViewsSite) async throws {
        let given = try await run(at: site.home, in: container, site)
        for path in ["/start", "/linked", "/a", "/b", "/found", "/c", "/replaced", "/chained", "/returned"] {
            let (ofContainer, ofEngine) = (site.ofContainer(path), site.ofEngine(path))
            try expect(ofContainer > 0 && ofEngine == 0, "\(path): \(ofContainer) given, \(ofEngine) loaded")
        }
        let plain = try await run(at: site.plain, in: container, site)
        var differences: [String] = []
        for (step, (seen, expected)) in zip(given, plain).enumerated() where seen != expected {
            differences.append("step \(step): \(seen), and not \(expected)")
        }
        try expect(
            differences.isEmpty && given.count == plain.count,
            "\(given.count) and \(plain.count) steps\n\(differences.joined(separator: "\n"))")
    }

    /// Runs all steps in a page.
    /// - Returns: the place of each step with the state of the page.
    @MainActor
    private func run(
        at home: String, in container: Container<WebKitGTKEngine>, _ site: DocumentViewsSite
    ) async throws -> [String] {
        let outside = site.outside(of: home)
        let page = try await openDocument(home + "/start", in: container)
        try expect(page.session.mode == (home == site.home ? .document : .plain), "\(home): \(page.session.mode)")
        var seen: [String] = []
        /// Records the state of the page. The origins of the modes have the same names.
        func record(_ place: String) async throws {
            let state = try await page.view.evaluate(
                "return [location.href, history.length, history.state, document.referrer, document.title]", in: .page)
            let text = "\(place): \(state) \(try Windows.histories())"
            seen.append(text.replacing(outside, with: "outside").replacing(home, with: "home"))
        }
        try await record("open")
        for step in steps(at: home, outside) {
            do {
                try await navigate(page, by: step.script, to: step.place, isSameDocument: step.isSameDocument)
            } catch {
                throw CheckFailure(description: "\(page.session.mode), \(step.script): \(error)\n\(seen.suffix(2))")
            }
            try await record(step.place)
        }
        // All the way back. Neighbouring entries have different URLs.
        for _ in 0..<(try Windows.histories().first?.current ?? 0) {
            let url = try await page.view.evaluate("return location.href", in: .page)
            _ = try await page.view.evaluate("setTimeout(() => history.back())", in: .page)
            try await seeInTime(page, "[location.href !== \(url), self.loaded > 0]", "[true,true]")
            try await record("back")
        }
        // A refresh without a delay replaces its document. It drops the entries after the current one.
        for step in [
            DocumentStep(script: "location.href = '/refresh'", place: "/refreshed"),
            DocumentStep(script: "location.href = '/meta'", place: "/refreshed?meta"),
        ] {
            try await navigate(page, by: step.script, to: step.place)
            try await record(step.place)
        }
        await container.close(page)
        return seen
    }

    private func steps(at home: String, _ outside: String) -> [DocumentStep] {
        /// Returns a URL that redirects to another one.
        func redirect(_ origin: String, to url: String) -> String {
            "\(origin)/to?\(url.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        func step(_ script: String, _ place: String, _ isSameDocument: Bool? = false) -> DocumentStep {
            DocumentStep(script: script, place: place, isSameDocument: isSameDocument)
        }
        let found = "/found?q=%C3%A4+1%26"
        return [
            step("document.querySelector('#link').click()", "/linked?a=b&c"),
            step("location.href = '/a'", "/a"),
            step("location.assign('/a')", "/a"),
            step("location.reload()", "/a"),
            step("location.replace('/b')", "/b"),
            step("document.querySelector('#form').submit()", found),
            step("document.querySelector('#fragment').click()", found + "#end", true),
            step("location.replace('#link')", found + "#link", true),
            step("location.hash = 'form'", found + "#form", true),
            step("history.pushState({ n: 1 }, '', '/pushed')", "/pushed", true),
            step("history.replaceState({ n: 2 }, '', '/replaced')", "/replaced", true),
            step("history.back()", found + "#form", true),
            step("history.back()", found + "#link", true),
            step("history.go(2)", "/replaced", true),
            // The engine's page cache has the document of the former URL, and has no documents of the container.
            step("location.reload()", "/replaced"),
            step("location.href = '/c#end'", "/c#end"),
            step("history.back()", "/replaced"),
            step("history.forward()", "/c#end"),
            step("location.href = '\(redirect("", to: redirect("", to: "/chained")))'", "/chained"),
            step("location.href = '\(redirect("", to: redirect(outside, to: home + "/landed")))'", "/landed"),
            step("location.href = '\(redirect(outside, to: home + "/landed?b"))'", "/landed?b"),
            step("document.querySelector('#posted').submit()", "/posted"),
            step("location.href = '/a'", "/a"),
            step("history.back()", "/posted"),
            step("posted.action = '/see?%2Faccount'; posted.submit()", "/account"),
            step("location.href = '\(outside)/there'", "/there"),
            step("location.href = '\(home)/returned'", "/returned"),
            step("history.back()", "/there"),
            step("history.forward()", "/returned"),
            step("history.go(-2)", "/account"),
            // Without the response to the form, which may be requested by GET now (docs/differences.md).
            step("history.go(-3)", "/landed"),
            step("history.forward()", "/landed?b"),
        ]
    }
}

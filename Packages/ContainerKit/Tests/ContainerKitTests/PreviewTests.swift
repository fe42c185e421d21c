// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import OfflinePackage
import PackageFormat
import ResourceLoading
import Testing
import WebEngineTesting

@MainActor
@Suite("Previews of a container", .timeLimit(.minutes(1)))
struct PreviewTests {
    private let fixture = Fixture()

    @Test("A mounted folder takes precedence over the package, is visible in the events, and can be unmounted")
    func mounting() async throws {
        let container = try await fixture.container()
        try await fixture.install(["index.html": "packed", "only.js": "packed"], version: "1", into: container)
        try Data("tried".utf8).write(to: URL(filePath: fixture.folder + "/index.html"))
        let preview = Preview(.folder(fixture.folder), over: try PackageBaseURL("https://shop.example/"))
        let events = container.events
        container.mount(preview)
        #expect(container.previews == [preview])
        let url = "containerkit://shop.example/index.html"
        let tried = try await fixture.answer(to: url, of: container)
        #expect(tried.sink.body == Data("tried".utf8))
        #expect(tried.record.provenance?.reason == "preview of \(fixture.folder) over https://shop.example/")
        #expect(try await fixture.text("containerkit://shop.example/only.js", of: container) == "packed")
        container.unmount(preview)
        container.unmount(preview)
        #expect(try await fixture.text(url, of: container) == "packed")
        var received: [String] = []
        for await event in events {
            switch event {
            case .previewMounted(preview): received.append("mounted")
            case .previewUnmounted(preview): received.append("unmounted")
            case .request: received.append("request")
            // The first subscriber also receives the event of the package that was installed before.
            case .package: continue
            default: received.append("other")
            }
            if received.count == 5 { break }
        }
        #expect(received == ["mounted", "request", "request", "unmounted", "request"])
    }

    @Test("The URLs of a preview are intercepted while it is mounted")
    func interceptionPolicy() async throws {
        let container = try await fixture.container()
        let preview = Preview(.folder(fixture.folder), over: try PackageBaseURL("https://new.example/app/"))
        #expect(!container.covers("https://new.example/app/"))
        container.mount(preview)
        #expect(container.covers("https://new.example/app/") && !container.covers("https://new.example/"))
        container.unmount(preview)
        #expect(!container.covers("https://new.example/app/"))
    }
}

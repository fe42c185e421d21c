// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import WebKitGTKAdapter

@main
struct Shop {
    /// The engine runs on the main thread, in GLib's loop.
    static func main() throws {
        try GLibMainLoop.run { try await open("https://shop.example/index.html") }
    }

    @MainActor
    static func open(_ url: String) async throws {
        let engine = try WebKitGTKEngine()
        let container = try await Container(engine: engine, configuration: .init(directory: "h5"))
        try await container.installBaseline(archive: "shop-1.zip", manifest: "shop-1.json")
        try await container.warmUp()
        let page = try await container.open(url)
        try await page.load.finished(within: .seconds(10))
        print(try await page.view.evaluate("return document.title", in: .page))
        await container.close(page)
    }
}

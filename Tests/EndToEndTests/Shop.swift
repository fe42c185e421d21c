// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import PackageFormat
import PackagePublisher

/// A small site, served by a real origin and packed for the container.
struct Shop {
    let folder: TemporaryFolder
    let origin: OriginServer

    static let files: [String: String] = [
        "index.html": """
        <!doctype html><html><head><meta charset="utf-8"><title>Shop</title>
        <link rel="stylesheet" href="style.css"></head>
        <body><h1>Fresh today</h1><ul id="list"></ul><img src="img/apple.svg" width="120" height="120" alt="">
        <script type="module" src="js/app.js"></script></body></html>
        """,
        "style.css": "body { margin: 40px; font: 20px sans-serif; background: #fef6e4 } h1 { color: #8bd3dd }",
        "js/app.js": """
        import { label } from "./label.js";
        const products = await (await fetch("data/products.json")).json();
        for (const product of products)
            document.getElementById("list").insertAdjacentHTML("beforeend", `<li>${label(product)}</li>`);
        document.documentElement.dataset.ready = "yes";
        """,
        "js/label.js": "export const label = product => `${product.name}: ${product.price} €`;",
        "data/products.json": #"[{"name":"Äpfel","price":2},{"name":"Birnen","price":3}]"#,
        "img/apple.svg": """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><circle cx="5" cy="5" r="4" fill="#f582ae"/></svg>
        """,
    ]

    /// An expression that is true when the script of the site has finished.
    static let ready = "document.documentElement.dataset.ready === 'yes'"

    init(routes: [OriginRoute] = [], faults: String = "") async throws {
        folder = try TemporaryFolder()
        for (name, text) in Self.files { try folder.write("site/\(name)", text.utf8) }
        var settings = OriginServer.Configuration(folder: folder.path + "/site", routes: routes)
        if !faults.isEmpty { settings.faults = try Fault.parse(faults) }
        origin = try await OriginServer.start(settings)
    }

    var page: String { origin.url + "/index.html" }
    var browser: Browser { Browser(folder: folder.path) }

    /// Packs the site and returns the path of the zip.
    func pack(isComplete: Bool = false) throws -> String {
        try PackageBuilder().build(
            folder.path + "/site", id: PackageID("shop"), version: PackageVersion("1"),
            baseURL: PackageBaseURL(origin.url + "/"), isComplete: isComplete, output: folder.path + "/packages"
        ).archive
    }
}

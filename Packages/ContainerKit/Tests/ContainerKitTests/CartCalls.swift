// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation

/// The cart of the app, and the function `shopAdd({sku, count})` with which pages of the shop add articles.
@MainActor
final class CartCalls {
    struct Refusal: Error {}

    private struct Article: Decodable {
        var sku: String
        var count: Int
    }

    private static let script = """
        globalThis.shopAdd = (article) => webkit.messageHandlers.shopCart.postMessage(article);
        """

    private(set) var articles: [String: Int] = [:]

    /// Adds the function to the pages of a view. It returns a promise of the number of all articles.
    func install(in view: some EngineView) throws {
        try view.scripting.setMessageHandler(named: "shopCart", in: .page) { [weak self] message in
            // The URL is that of the engine, which begins with the custom scheme in the mode `customScheme`.
            let origins = ["https://shop.example/", "containerkit://shop.example/"]
            guard let self, origins.contains(where: message.documentURL.hasPrefix) else { throw Refusal() }
            let article = try JSONDecoder().decode(Article.self, from: Data(message.json.utf8))
            guard 1...99 ~= article.count, articles.count < 100 else { throw Refusal() }
            articles[article.sku, default: 0] += article.count
            return "\(articles.values.reduce(0, +))"
        }
        view.scripting.add(UserScript(Self.script, at: .documentStart))
    }
}

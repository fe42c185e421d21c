// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
package import HTTPTypes
internal import ResourceLoading
internal import WebEngine

/// What pages are opened with by POST: engines are asked for a URL alone, and ask the container for it by GET. The first
/// request of the view for that document becomes the POST, and no later one.
///
/// Isolation: the main actor.
@MainActor
package final class OpeningPosts {
    /// A POST that opens a page.
    package struct Post {
        /// The document's place in the engine, without a fragment.
        var place = ""
        let fields: HTTPFields
        let body: Data

        package init(fields: HTTPFields, body: Data) {
            self.fields = fields
            self.body = body
        }
    }

    private var posts: [ViewID: Post] = [:]

    /// Keeps a POST until the view asks for its document.
    func hold(_ post: Post, for view: ViewID) {
        posts[view] = post
    }

    /// Takes the POST that a request of the engine is, once.
    func removePost(for request: EngineRequest) -> Post? {
        guard request.isMainDocument, request.head.method == .get, let view = request.view,
            posts[view]?.place == request.head.urlText
        else { return nil }
        return posts.removeValue(forKey: view)
    }

    /// Removes the POSTs of some of the views.
    func removeAll(where isMeant: (ViewID) -> Bool) {
        posts = posts.filter { !isMeant($0.key) }
    }

    /// The view shows something, or is gone.
    func forget(_ view: ViewID) {
        posts[view] = nil
    }
}

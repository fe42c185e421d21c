// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
package import HTTPTypes
internal import ResourceLoading
internal import WebEngine

/// The POST requests that open pages. An engine loads a URL by GET, and the container replaces the first GET of the
/// view for that document by the POST. Later requests are not changed.
///
/// Isolation: the main actor.
@MainActor
package final class OpeningPosts {
    /// A POST that opens a page.
    package struct Post {
        /// The URL of the document in the engine, without a fragment.
        var place = ""
        let fields: HTTPFields
        let body: Data

        package init(fields: HTTPFields, body: Data) {
            self.fields = fields
            self.body = body
        }
    }

    private var posts: [ViewID: Post] = [:]

    /// Stores a POST until the view requests its document.
    func hold(_ post: Post, for view: ViewID) {
        posts[view] = post
    }

    /// Removes and returns the POST for a request of the engine, or returns `nil` if there is none.
    func removePost(for request: EngineRequest) -> Post? {
        guard request.isMainDocument, request.head.method == .get, let view = request.view,
            posts[view]?.place == request.head.urlText
        else { return nil }
        return posts.removeValue(forKey: view)
    }

    /// Removes the POSTs of the views for which the predicate returns `true`.
    func removeAll(where isIncluded: (ViewID) -> Bool) {
        posts = posts.filter { !isIncluded($0.key) }
    }

    /// Removes the POST of a view that shows a document or has ended.
    func remove(_ view: ViewID) {
        posts[view] = nil
    }
}

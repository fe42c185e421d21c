// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import PagePrompts
internal import RequestPipeline
package import WebEngine
package import WebViewPool

// Assembles PagePrompts.
extension Container: PagePromptHost {
    static func makePagePrompts(_ configuration: ContainerConfiguration, _ hub: EventHub) -> PagePromptController {
        PagePromptController(
            configuration.pages.requests, clock: configuration.clock, names: configuration.pages.schemeNames
        ) { [hub] outcome, ending in
            hub.send(.pageRequest(outcome.page, PageRequestRecord(outcome, ending)))
        }
    }

    package var promptDelegate: (any PagePromptDelegate)? { pageDelegate }

    package func session(of view: ViewID) -> PageSession? { sessions[view] }

    package func canOpen(_ url: String) -> Bool { RealURL(url) != nil }

    package func place(of url: String, for page: PageSession) async throws -> String {
        // A page of the custom scheme shows a page of another mode without interception.
        let isOfOtherMode = page.mode == .customScheme && mode(ofPageAt: url) != .customScheme
        return try await place(of: url, in: isOfOtherMode ? .plain : page.mode)
    }

    package func retire(_ page: PageSession, because reason: DiscardReason) {
        pool.retire(because: reason) { view, _ in view.id == page.view }
    }
}

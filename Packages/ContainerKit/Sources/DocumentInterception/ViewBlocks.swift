// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

/// The requests of a view that the engine makes itself and that route rules block, as content rules of the engine.
///
/// Isolation: the main actor.
@MainActor
final class ViewBlocks {
    private weak var view: (any EngineView)?
    private let pipeline: any DocumentPipeline
    /// The content rules of the view; `nil` before the first.
    private var rules: String?
    /// The last change. The changes run in order, so that the newest rules remain.
    private var change: Task<Void, any Error>?

    /// Content rules without an effect. WebKit accepts no empty list.
    private static let noRules = #"[{"action":{"type":"ignore-previous-rules"},"trigger":{"url-filter":".*"}}]"#

    init(_ view: some EngineView, _ pipeline: any DocumentPipeline) {
        self.view = view
        self.pipeline = pipeline
    }

    /// Returns a Boolean value that indicates whether the content rules of a page may differ from those of the view.
    func mayChange(forPageAt url: String) -> Bool {
        if rules != nil || change != nil { return true }
        do { return try pipeline.blockingContentRules(forPageAt: url) != nil } catch { return true }
    }

    /// Sets the content rules of a page, if they have changed.
    /// - Parameters:
    ///   - url: the real URL of the page's document.
    ///   - former: the URL of the document that the view shows until then, whose rules stay if the other document has
    ///     none: a navigation can become a download.
    /// - Throws: the error of the engine that rejects the rules.
    func set(forPageAt url: String, after former: String? = nil) async throws(EngineError) {
        let earlier = change
        let next = Task {
            _ = await earlier?.result
            try await self.apply(forPageAt: url, after: former)
        }
        change = next
        defer { if change == next { change = nil } }
        do {
            try await next.value
        } catch {
            throw error as? EngineError ?? EngineError(.storage, "content rules: \(error)", at: url)
        }
    }

    private func apply(forPageAt url: String, after former: String?) async throws {
        // The route rules may change while the engine compiles them.
        while let view {
            let current = try pipeline.blockingContentRules(forPageAt: url) ?? kept(after: former) ?? Self.noRules
            guard current != rules, rules != nil || current != Self.noRules else { return }
            try await view.scripting.setContentRules(current)
            rules = current
        }
    }

    /// Returns the present rules if they are those of a document that may stay.
    private func kept(after former: String?) -> String? {
        guard let former else { return nil }
        do {
            return try pipeline.blockingContentRules(forPageAt: former) == nil ? nil : rules
        } catch {
            // There are too many route rules for a list. The navigation to a page without a list does not fail.
            return rules
        }
    }
}

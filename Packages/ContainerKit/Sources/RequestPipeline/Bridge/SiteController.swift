// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PublicSuffixList
@_spi(Facade) internal import SchemeMode
internal import WebEngine

/// The controller that restricts each view to the site of its page. Content rules cover requests that do not reach the
/// container, and a proof script gives documents of the site access to their cookies.
///
/// Isolation: the main actor.
@MainActor
final class SiteController {
    private final class Place {
        weak var view: (any EngineView)?
        /// The sites of the view's rules, newest last: those of the pages that the view has shown or may show next. A
        /// navigation can become a download, in which case the page does not change.
        var sites: [PageSite] = []
        /// The last change of the rules. The changes of one view run in order, so that the newest rules remain.
        var change: Task<Void, any Error>?

        init(_ view: any EngineView) {
            self.view = view
        }
    }

    /// The maximum number of sites in a view's rules. Pages of further sites send fewer cookies.
    private static let limit = 8

    private let names: SchemeNames
    private let sites = SuffixList()
    private var places: [ViewID: Place] = [:]

    init(names: SchemeNames) {
        self.names = names
    }

    /// Sets the first content rules of a view. Must be called before the view loads a document.
    /// - Parameters:
    ///   - view: the view.
    ///   - url: the real URL of the document that the view is about to load; `nil` if the container does not load it.
    ///   - bridges: the bridges of pages.
    /// - Throws: ``EngineError`` if the engine rejects the rules.
    func begin(in view: some EngineView, for url: String?, _ bridges: BodyBridgeHost?) async throws {
        let place = Place(view)
        places[view.id] = place
        let site = url.flatMap { PageSite(of: $0, sites: sites) }
        try await change(place) { [self] in try await apply(site.map { [$0] } ?? [], in: place, bridges) }
    }

    /// Sets the content rules for a document before its first byte is delivered.
    /// - Parameters:
    ///   - url: the real URL of the document.
    ///   - view: the view that is about to show the document.
    ///   - bridges: the bridges of pages.
    /// - Throws: ``EngineError`` if the engine rejects the rules.
    func prepare(for url: String, in view: ViewID?, _ bridges: BodyBridgeHost?) async throws {
        guard let place = view.flatMap({ places[$0] }), let site = PageSite(of: url, sites: sites) else { return }
        // Most navigations stay on one site and need no change.
        if place.change == nil, site == place.sites.last { return }
        try await change(place) { [self] in
            guard site != place.sites.last else { return }
            let sites = (place.sites.filter { $0 != site } + [site]).suffix(Self.limit)
            try await apply(Array(sites), in: place, bridges)
        }
    }

    /// Removes the records of a view that ends or is used by another page.
    func end(in view: ViewID) {
        places[view] = nil
    }

    /// Runs a change after the earlier changes of the view.
    private func change(_ place: Place, _ work: @escaping @MainActor () async throws -> Void) async throws {
        let earlier = place.change
        let change = Task {
            _ = await earlier?.result
            try await work()
        }
        place.change = change
        defer { if place.change == change { place.change = nil } }
        try await change.value
    }

    private func apply(_ sites: [PageSite], in place: Place, _ bridges: BodyBridgeHost?) async throws {
        guard let view = place.view else { return }
        // Sorted, so that alternating between two sites needs no new rules.
        let sorted = sites.sorted { ($0.domain, $0.scheme) < ($1.domain, $1.scheme) }
        try await view.scripting.setContentRules(ContentRules(names: names, sites: sorted).json)
        place.sites = sites
        if let site = sites.last { bridges?.addProof(site, to: view) }
    }
}

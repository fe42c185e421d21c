// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PublicSuffixList
@_spi(Facade) internal import SchemeMode
internal import WebEngine

/// Holds each view to the site of the page that it shows: by content rules for what does not reach the container, and by
/// the proof that documents of the site get for their cookies.
///
/// Isolation: the main actor.
@MainActor
final class SiteController {
    private final class Place {
        weak var view: (any EngineView)?
        /// The sites of the view's rules, newest last: of the pages that it has shown or may show next. A navigation may
        /// become a download, and the page stays.
        var sites: [PageSite] = []
        /// The last change of the rules. Changes of one view follow one another, so that the newest rules stay.
        var change: Task<Void, any Error>?

        init(_ view: any EngineView) {
            self.view = view
        }
    }

    /// The most sites that a view has rules for. A page of another one sends fewer cookies.
    private static let limit = 8

    private let names: SchemeNames
    private let sites = SuffixList()
    private var places: [ViewID: Place] = [:]

    init(names: SchemeNames) {
        self.names = names
    }

    /// Gives a view its first rules, before it loads anything.
    /// - Parameter url: the real URL of the document that it is about to show, or `nil` if that is none of the container's.
    /// - Throws: ``EngineError`` if the engine refuses the rules.
    func begin(in view: some EngineView, for url: String?, _ bridges: BodyBridgeHost?) async throws {
        let place = Place(view)
        places[view.id] = place
        let site = url.flatMap { PageSite(of: $0, sites: sites) }
        try await change(place) { [self] in try await apply(site.map { [$0] } ?? [], in: place, bridges) }
    }

    /// Gives a view the rules of a document that it is about to show, before the document's first byte.
    /// - Parameter url: the real URL.
    /// - Throws: ``EngineError`` if the engine refuses the rules.
    func prepare(for url: String, in view: ViewID?, _ bridges: BodyBridgeHost?) async throws {
        guard let place = view.flatMap({ places[$0] }), let site = PageSite(of: url, sites: sites) else { return }
        // Most navigations stay on one site: they wait for nothing.
        if place.change == nil, site == place.sites.last { return }
        try await change(place) { [self] in
            guard site != place.sites.last else { return }
            let sites = (place.sites.filter { $0 != site } + [site]).suffix(Self.limit)
            try await apply(Array(sites), in: place, bridges)
        }
    }

    /// Forgets a view that ends or is another page's.
    func end(in view: ViewID) {
        places[view] = nil
    }

    /// Makes a change after the earlier ones of the view.
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
        // In one order, so that a view that goes to and fro needs no new rules.
        let sorted = sites.sorted { ($0.domain, $0.scheme) < ($1.domain, $1.scheme) }
        try await view.scripting.setContentRules(ContentRules(names: names, sites: sorted).json)
        place.sites = sites
        if let site = sites.last { bridges?.prove(site, to: view) }
    }
}

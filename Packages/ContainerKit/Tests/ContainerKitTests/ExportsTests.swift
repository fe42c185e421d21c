// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// This file imports no other module of the project: an app imports only ContainerKit and its adapter.
import ContainerKit
import Testing

@Suite("Exports", .timeLimit(.minutes(1)))
struct ExportsTests {
    @Test("Options and their members can be set with one import")
    func options() throws {
        var cache = HTTPCacheOptions()
        cache.memoryBytes = 1
        cache.rules = CachingLoader.Configuration(partitioning: HostPartitioning())
        var prefetch = PrefetchOptions()
        prefetch.tableSource = PrefetchTableSource(url: "https://shop.example/prefetch.json")
        prefetch.loader = PrefetchLoader.Configuration()
        var cookies = CookieOptions()
        cookies.limits = CookieStore.Limits()
        var downloads = DownloadOptions()
        downloads.space = FileSystemSpace()
        var updates = PackageUpdater.Configuration()
        updates.hostVersion = try PackageVersion("1")
        updates.trial = TrialLimits()
        let rules = try RouteRules([
            RouteRule(.pass, host: HostPattern("shop.example"), path: PathPattern(glob: "/pay/**"))
        ])
        let remote = RemoteConfigOptions(source: RemoteConfigSource(url: "https://shop.example/config.json"))
        let source = try PackageSource("https://shop.example/shop.json", package: PackageID("shop"))
        #expect(cache.memoryBytes == 1 && cookies.limits.total > 0 && downloads.space is FileSystemSpace)
        #expect(prefetch.tableSource != nil && remote.source != nil)
        #expect(
            rules.rules.count == 1 && source.manifestURL == "https://shop.example/shop.json"
                && updates.hostVersion != nil)
        let counters: (CookieCounters, ReconciliationCounters)? = nil
        #expect(UpdateUrgency.allCases.contains(.wanted) && counters == nil)
        #expect(PoolCapacity(fixed: 2).standard == 2 && SchemeNames.standard.secure == "containerkit")
    }

    /// Code for any engine also needs only one import.
    @MainActor
    private func title(of view: some EngineView) async throws -> String {
        let scripting: any ViewScripting = view.scripting
        return try await scripting.evaluate("return document.title", in: .page)
    }

    @Test("Events and errors can be read with one import")
    func events() {
        func text(_ event: ContainerEvent) -> String? {
            switch event {
            case .request(let record) where record.provenance?.source == .package: record.url
            case .package(.confirmed(let id, let version)): "\(id) \(version)"
            case .page(let id, .failed(_, let error)) where error.code == .timedOut: "\(id.rawValue)"
            case .loopback(.listening(let port)): "\(port)"
            default: nil
            }
        }
        #expect(text(.page(PageID(rawValue: 1), .failed(url: "", error: EngineError(.timedOut, "late")))) == "1")
        #expect(text(.loopback(.listening(port: 80))) == "80" && text(.rulesChanged) == nil)
        let errors: [any Error] = [ResourceError(.offline, "cut"), EngineError(.timedOut, "late")]
        #expect(errors.contains { ($0 as? ResourceError)?.code == .offline })
    }
}

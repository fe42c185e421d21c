// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
@_spi(Facade) internal import OfflinePackage
internal import PackageFormat
internal import PackageUpdates
internal import PageInterface
internal import PageRecovery
@_spi(Facade) internal import ResourceLoading
internal import SchemeMode
internal import SchemeRouter
internal import WebEngine

// MARK: - Assembly

extension ContainerCore {
    /// Creates the interfaces of pages, or returns `nil` if the configuration has none.
    func makePageInterface(
        locator: PageLocator<Engine>, recovery: RecoveryComponent?, engineCaches: EngineCacheInvalidator?
    ) -> PageInterfaceComponent<Engine>? {
        guard let options = configuration.pages.interface else { return nil }
        let controller = PageInterfaceController(
            options, conditions: configuration.hostConditions, clock: configuration.clock)
        return PageInterfaceComponent(controller, self, locator, recovery?.monitor, engineCaches)
    }
}

// MARK: - Component

/// The component of the interfaces of pages, and their adapter to the pages and packages of a container.
///
/// Isolation: the main actor.
@MainActor
final class PageInterfaceComponent<Engine: WebEngineDriver>: ContainerComponent, PageInterfaceHost {
    private let controller: PageInterfaceController
    private let core: ContainerCore<Engine>
    private let locator: PageLocator<Engine>
    private let monitor: BlankPageMonitor?
    private let engineCaches: EngineCacheInvalidator?

    init(
        _ controller: PageInterfaceController, _ core: ContainerCore<Engine>, _ locator: PageLocator<Engine>,
        _ monitor: BlankPageMonitor?, _ engineCaches: EngineCacheInvalidator?
    ) {
        self.controller = controller
        self.core = core
        self.locator = locator
        self.monitor = monitor
        self.engineCaches = engineCaches
        controller.host = self
    }

    func start() {
        core.hub.observePermanently { [weak controller] event in
            if case .package(let change) = event { controller?.receive(change) }
            if case .packageInstalled = event { controller?.packagesDidChange() }
        }
        controller.start()
    }

    func page(_ page: PageSession, willLoadIn view: any EngineView, _ opening: PageOpening) {
        guard page.mode != .plain else { return }
        let covered = [opening.url] + core.packages.library.installed.map(\.baseURL.description)
        let places = PageInterfacePlaces(
            origins: covered.compactMap { WebOrigin(url: $0)?.description },
            hosts: core.configuration.network.coveredHosts.map(\.description),
            schemes: page.mode == .customScheme ? [core.names.secure, core.names.insecure] : [],
            server: page.mode == .loopbackServer ? opening.place : nil)
        do {
            try controller.begin(page, in: view, at: places)
        } catch {
            core.logger.warning("a page has no interface", metadata: ["page": "\(page.id)", "error": "\(error)"])
        }
    }

    func page(_ page: PageSession, didReceive signal: ViewSignal) {
        switch signal {
        case .committed, .processEnded: controller.documentChanged(in: page.view)
        default: break
        }
    }

    func pageDidClose(_ page: PageSession) { controller.end(in: page.view) }

    func shutDown() async { await controller.shutDown() }

    // MARK: Port

    func reference(of page: PageID) -> PageReference? {
        core.pages.session(of: page).map { core.pages.current($0).reference }
    }

    func isCovered(_ place: String) -> Bool { locator.isCovered(place) }

    func packages(of page: PageID) -> [InstalledPackage] {
        let (library, url) = (core.packages.library, core.pages.session(of: page)?.documentURL ?? "")
        let covering = library.generations(of: page, covering: url)
        return library.packages(of: page).filter { covering.contains($0.generation) }
    }

    func activePackage(_ id: PackageID) -> InstalledPackage? {
        core.packages.library.installed.first { $0.id == id }
    }

    func canAdopt(_ package: InstalledPackage, for page: PageID) -> Bool {
        guard let url = core.pages.session(of: page)?.documentURL else { return false }
        return core.packages.library.canAdopt(package.generation, for: page, covering: url)
    }

    func report(_ kind: BootReport.Kind, of page: PageReference) {
        if kind == .healthy, let session = core.pages.session(of: page.id) { monitor?.recordHealthy(session.view) }
        core.packages.report(BootReport(kind, of: page))
    }

    func adoptActiveVersions(of page: PageID) async -> Bool {
        guard let session = core.pages.session(of: page),
            core.packages.library.adoptActive(page, covering: session.documentURL)
        else { return false }
        core.pages.updateGenerations(of: page)
        await engineCaches?.invalidateStaleFiles(for: core.pages.current(session))
        return true
    }

    func page(_ page: PageID, did event: PageInterfaceEvent) { core.hub.send(.pageInterface(page, event)) }
}

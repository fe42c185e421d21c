// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import DocumentInterception
internal import HTTPTypes
internal import PackageUpdates
internal import PagePrefetch
@_spi(Facade) internal import Prefetch
package import RequestPipeline
internal import ResourceLoading
internal import WebEngine

// MARK: - Assembly

extension ContainerCore {
    /// Creates the interception of documents. Returns `nil` if the mode `document` is not in use.
    func makeDocuments(
        _ pipelines: ModePipelines, _ delivery: RequestDeliveryAdapter<Engine>, _ packages: PackagesComponent
    ) -> DocumentsComponent? {
        guard let pipeline = pipelines[.document] else { return nil }
        let adapter = DocumentAdapter(
            pages, packages, delivery, fields: pipeline.fields, prefetch: pipeline.path.prefetch)
        return DocumentsComponent(
            DocumentController(names: names, pipeline: pipeline.path, host: adapter, logger: logger),
            HeldResourceHandler(names: names, pipeline: pipeline.path, host: adapter))
    }
}

// MARK: - Component

/// The component of the mode `document`.
///
/// Isolation: the main actor.
@MainActor
final class DocumentsComponent: ContainerComponent {
    /// The handler of the custom-scheme requests of pages in this mode.
    let resources: HeldResourceHandler
    private let controller: DocumentController

    init(_ controller: DocumentController, _ resources: HeldResourceHandler) {
        self.controller = controller
        self.resources = resources
    }

    func page(_ page: PageSession, willLoadIn view: any EngineView, _ opening: PageOpening) async throws {
        if page.mode == .document { try await controller.begin(in: view, forPageAt: page.documentURL) }
    }

    func page(_ page: PageSession, didReceive signal: ViewSignal) {
        if case .committed = signal { controller.shows(page) }
    }

    func pageDidClose(_ page: PageSession) { controller.end(in: page.view) }
}

// MARK: - Ports

extension RequestHandler: DocumentPipeline {
    package func givesDocument(at url: String) -> Bool { policy.mode(ofPageAt: url) == .document }
}

/// The adapter between document interception and the pages, packages and events of a container.
///
/// Isolation: the main actor.
@MainActor
final class DocumentAdapter: DocumentHost {
    private weak var pages: PageRegistry?
    private weak var packages: PackagesComponent?
    private let delivery: any RequestDeliveryHost
    private let fields: EngineFields?
    private let prefetch: PrefetchLoader?

    /// - Parameters:
    ///   - fields: the recorder of the engine's header fields in the mode; `nil` if prefetching is not in use.
    ///   - prefetch: the loader of prefetched responses in the mode; `nil` if prefetching is not in use.
    init(
        _ pages: PageRegistry, _ packages: PackagesComponent, _ delivery: any RequestDeliveryHost,
        fields: EngineFields?, prefetch: PrefetchLoader?
    ) {
        self.prefetch = prefetch
        self.pages = pages
        self.packages = packages
        self.delivery = delivery
        self.fields = fields
    }

    func session(of view: ViewID) -> PageSession? { pages?.session(of: view).flatMap { pages?.current($0) } }

    func fileURLs(of page: PageID) async -> [String] { await packages?.service.library.fileURLs(of: page) ?? [] }

    func prefetchedURLs(of page: PageID) -> [String] { prefetch?.waitingURLs(of: page) ?? [] }

    func packages(of page: PageID) -> [PagePackage] {
        packages?.service.library.packages(of: page).map {
            PagePackage(url: $0.baseURL.description, isComplete: $0.isComplete)
        } ?? []
    }

    func requested(_ request: EngineRequest, of page: PageSession) {
        fields?.record(request.head)
        delivery.documentRequested(by: request, of: page)
    }

    func received(_ response: ResourceResponse, to request: EngineRequest, of page: PageSession) {
        delivery.received(response, to: request, of: page)
    }

    func requestBegan(in view: ViewID) -> PageID? { delivery.requestBegan(in: view) }

    func requestEnded(_ record: RequestRecord, pendingFor page: PageID?) {
        delivery.requestEnded(record, pendingFor: page)
    }
}

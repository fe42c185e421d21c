// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if Loopback
    @_spi(Facade) internal import BodyBridge
    @_spi(Facade) internal import CookieBridge
    @_spi(Facade) internal import HTTPTransport
    package import HTTPTypes
    internal import Logging
    internal import LoopbackInterception
    internal import LoopbackServer
    internal import OfflinePackage
    internal import PackageUpdates
    internal import PagePrefetch
    internal import PageRecovery
    package import RequestPipeline
    @_spi(Facade) internal import ResourceLoading
    internal import SchemeMode
    internal import SchemeRouter
    @_spi(Facade) internal import WebEngine

    // MARK: - Assembly

    extension CookieSynchronizer: LocalServerCookieSharing {}

    extension ContainerCore {
        /// The name of the access token of the local server; `nil` if the mode `loopbackServer` is not in use.
        var localServerToken: String? { modes.started.contains(.loopbackServer) ? AccessToken.name : nil }

        /// Creates the loopback interception and forwards the events of pages and policy changes to it. Returns `nil`
        /// if no mode in use is a loopback mode.
        /// - Throws: `LoopbackError`.
        func makeLoopback(
            _ pipeline: ModePipeline, _ requests: SchemeRequestHandler, _ packages: PackagesComponent,
            cookies: CookieSynchronizer?
        ) async throws -> (any LoopbackIntercepting)? {
            guard pipeline.mode.isOverLoopback else { return nil }
            let adapter = LoopbackAdapter(
                hub, packages, fields: pipeline.fields, failures: requests.failures, proof: modes.proxyProof)
            let controller = try await LoopbackController(
                engine, in: pipeline.mode, configuration.network.loopback, directory: configuration.directory,
                names: modes.started.contains(.customScheme) ? names : nil, isUsed: rules.isOn, logger: logger,
                clock: configuration.clock,
                ports: LoopbackPorts(
                    pipeline: pipeline.path, bodies: [requests.legacy, requests.posts], observer: adapter,
                    host: adapter, proxies: proxies, addresses: nameResolution?.resolver,
                    trusted: { [authorities = configuration.network.transport.authorities] host in
                        CertificateAuthority.certificates(among: authorities, trustedFor: host)
                    },
                    outgoing: outgoing, cookies: cookies))
            hub.observePermanently { [weak controller, rules] event in
                switch event {
                case .rulesChanged, .interceptionSwitched, .remoteConfigChanged:
                    controller?.isUsed = rules.isOn
                    controller?.policyChanged()
                case .packageInstalled, .package(.scopeChanged), .previewMounted, .previewUnmounted, .tableChecked:
                    controller?.policyChanged()
                case .pageOpened(let session): controller?.pageDidOpen(session)
                default: break
                }
            }
            return LoopbackComponent(controller, adapter, self, policy: pipeline.path.policy, packages)
        }
    }

    // MARK: - Component

    /// The component of interception over loopback.
    ///
    /// Isolation: the main actor.
    @MainActor
    final class LoopbackComponent<Engine: WebEngineDriver>: LoopbackIntercepting {
        let controller: LoopbackController<Engine>
        private let adapter: LoopbackAdapter
        private let pages: PageRegistry
        private let names: SchemeNames
        private let policy: InterceptionPolicy
        private let packages: PackagesComponent
        private let logger: Logger
        private var engineCaches: EngineCacheInvalidator?

        init(
            _ controller: LoopbackController<Engine>, _ adapter: LoopbackAdapter, _ core: ContainerCore<Engine>,
            policy: InterceptionPolicy, _ packages: PackagesComponent
        ) {
            self.controller = controller
            self.adapter = adapter
            self.policy = policy
            self.packages = packages
            pages = core.pages
            names = core.names
            logger = core.logger
            pages.loopback = self
        }

        var translation: any LoopbackTranslating { controller }

        func connect(recovery: BlankPageMonitor?, engineCaches: EngineCacheInvalidator?) {
            adapter.recovery = recovery
            self.engineCaches = engineCaches
        }

        private var isProxy: Bool { controller.mode == .loopbackProxy }

        // MARK: Pages

        /// - Throws: ``ContainerError`` with code `proxy` if the mode of the page requires the proxy.
        func pageWillOpen(_ opening: PageOpening) async throws {
            do {
                try await controller.ready()
            } catch  where policy.mode(ofPageAt: opening.url) == .loopbackProxy {
                throw ContainerError(.proxy, "the proxy cannot listen: \(error)", at: opening.url)
            } catch {
                // Without the proxy the page opens without interception.
                logger.warning("the proxy cannot listen", metadata: ["error": "\(error)"])
            }
            if policy.requiresProxyProof(forPageAt: opening.url) { await controller.prove() }
        }

        func pageDidOpen(_ page: PageSession, _ opening: PageOpening) {
            if page.mode == .customScheme, isProxy { controller.pages.place(page.id, isElsewhere: true) }
            controller.pages.record(page.reference)
            opening.load?.isReportedElsewhere = { [weak controller] in controller?.reportsRequests(for: $0.url) ?? false
            }
        }

        func page(_ page: PageSession, willLoadIn view: any EngineView, _ opening: PageOpening) {
            controller.page(page, willLoadIn: view)
        }

        /// Records the location of a page's document. The view of a page in the mode `customScheme` can navigate to a
        /// real URL. Its requests then also arrive over loopback, and do not identify their page.
        func page(_ page: PageSession, didReceive signal: ViewSignal) {
            guard case .committed(let place) = signal else { return }
            controller.page(page.id, didCommit: place)
            guard isProxy, page.mode == .customScheme, RealURL(page.documentURL) != nil else { return }
            let isElsewhere = names.realURL(of: place) != nil
            controller.pages.place(page.id, isElsewhere: isElsewhere)
            guard !isElsewhere else { return }
            join(page.id)
            // Record the document again: the attributor ignored it while the page sent no requests over loopback.
            controller.pages.record(pages.current(page).reference)
        }

        func record(_ page: PageReference) { controller.pages.record(page) }

        func isBusy(_ page: PageID) -> Bool { controller.pages.isBusy(page) }

        func prepare(_ asked: PageSession?, for response: ResourceResponse) async {
            guard isProxy, response.isInterim, response.movedTo.flatMap({ RealURL($0) }) != nil,
                let session = pages.session(for: asked)
            else { return }
            join(session.id)
            await engineCaches?.invalidateStaleFiles(for: pages.current(session))
        }

        private func join(_ page: PageID) {
            guard controller.pages.join(page) else { return }
            packages.service.library.share(page)
            pages.updateGenerations(of: page)
            engineCaches?.join(page)
        }

        func pageDidClose(_ page: PageSession) { controller.pageDidClose(page.id) }

        // MARK: Connections

        func preconnect(in view: any EngineView) async {
            let places = packages.service.library.installed.map { "\($0.baseURL)" }
            await controller.preconnect(in: view, besides: places) { policy.mode(ofPageAt: $0) == .loopbackProxy }
        }

        // MARK: Life

        func hostDidTransition(to state: HostState) async {
            if case .resumed = state { await controller.resume() }
            if case .suspended = state { await controller.suspend() }
        }

        func shutDown() async { await controller.shutDown() }

        func addCounters(to counters: inout ContainerCounters) { counters.droppedEvents += controller.lostReports }
    }

    extension LoopbackController: LoopbackTranslating {
        func openAtServer(_ url: String) async throws -> String {
            let place: String?
            do {
                place = try await open(url)
            } catch {
                throw ContainerError(.server, "the local server is not available: \(error)", at: url)
            }
            guard let place else { throw ContainerError(.server, "the local server cannot serve this URL", at: url) }
            return place
        }
    }

    // MARK: - Ports

    extension RequestHandler: LoopbackPipeline {
        package var distinguishesRequesters: Bool { policy.modes.havePlain }

        package func opens(originOf request: HTTPRequest) -> Bool { policy.opens(originOf: request) }
    }

    extension LegacyBridgeHost: LoopbackBodies {
        package nonisolated func isCarried(by request: ResourceRequest) -> Bool {
            messages.isCarried(by: request.head)
        }
    }

    extension OpeningPosts: LoopbackBodies {}

    /// The adapter between loopback interception and the events, pages and packages of a container.
    ///
    /// Isolation: the main actor, except for the callbacks about document requests.
    @MainActor
    final class LoopbackAdapter: LoopbackHost, LoopbackRequestObserver {
        weak var recovery: BlankPageMonitor?
        private let hub: EventHub
        private weak var packages: PackagesComponent?
        private nonisolated let fields: EngineFields?
        private nonisolated let failures: DocumentFailures
        private let proof: FeatureSwitch?

        /// - Parameter fields: the recorder of the engine's header fields in the mode; `nil` if prefetching is not in
        ///   use.
        init(
            _ hub: EventHub, _ packages: PackagesComponent, fields: EngineFields?, failures: DocumentFailures,
            proof: FeatureSwitch?
        ) {
            self.hub = hub
            self.proof = proof
            self.packages = packages
            self.fields = fields
            self.failures = failures
        }

        // MARK: Documents

        nonisolated func documentWasRequested(_ request: HTTPRequest) { fields?.record(request) }

        nonisolated func documentWasAnswered(_ url: String) { failures.answered(url) }

        nonisolated func documentFailed(_ url: String, because error: ResourceError) {
            failures.failed(url, because: error)
        }

        func record(_ report: LoopbackDocumentReport) {
            recovery?.recordDocument(of: report.page, hasBody: report.hasBody, isEmpty: report.isEmpty) {
                report.isOf($0)
            }
        }

        // MARK: Events

        func loopbackDidSend(_ event: LoopbackEvent) { hub.send(.loopback(event)) }

        func proxyProofDidChange(isProven: Bool) { proof?.set(isProven) }

        func requestDidEnd(_ record: RequestRecord) { hub.send(.request(record)) }

        func generation(_ generation: GenerationReference, didAnswer page: PageReference) {
            packages?.record(generation, answering: page.documentURL, of: page.id)
        }
    }
#else
    @_spi(Facade) internal import CookieBridge
    internal import RequestPipeline

    extension ContainerCore {
        /// Returns `nil`: without the trait `Loopback`, `pageModes(_:)` refuses the loopback modes.
        func makeLoopback(
            _ pipeline: ModePipeline, _ requests: SchemeRequestHandler, _ packages: PackagesComponent,
            cookies: CookieSynchronizer?
        ) async throws -> (any LoopbackIntercepting)? { nil }

        /// `nil`, because there is no local server.
        var localServerToken: String? { nil }
    }
#endif

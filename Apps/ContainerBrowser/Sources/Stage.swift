// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
@_spi(Testing) internal import ContainerKit
internal import ContainerTesting
internal import HTTPTransport
internal import Logging
internal import NIOTransport
internal import OfflinePackage
internal import ResourceLoading
internal import ResourceTable
internal import WebEngine
internal import WebKitGTKAdapter
internal import WebSyntax

/// A fresh engine, with or without a container, and a simulated network.
@MainActor
final class Stage {
    let engine: WebKitGTKEngine
    private let options: StageOptions
    private var container: Container<WebKitGTKEngine>?
    private let transport: AsyncHTTPTransport?
    private let proxy: ShapedProxy?
    /// The proxy that refuses connections to all hosts that are not covered. `nil` if the stage is not isolated or has
    /// a shaping proxy.
    private let wall: ShapedProxy?
    private var bareViews: [WebKitGTKView] = []
    private var warmView: WebKitGTKView?
    private(set) var requests: [RequestRecord] = []
    private var packageBases: [String] = []

    /// Creates a stage, passes it to `body`, and tears it down, also after an error.
    static func with<Value>(
        _ options: StageOptions, _ body: @MainActor (Stage) async throws -> Value
    ) async throws -> Value {
        let stage = try await Stage(options)
        do {
            let value = try await body(stage)
            await stage.tearDown()
            return value
        } catch {
            await stage.tearDown()
            throw error
        }
    }

    private init(_ options: StageOptions) async throws {
        self.options = options
        var engineSettings = WebKitGTKEngine.Configuration()
        // OpenGL is off by default in every mode. On a virtual screen without a GPU, it takes processor time from the
        // page.
        engineSettings.usesHardwareAcceleration = options.usesOpenGL
        // Lets the engine run in containers without user namespaces.
        engineSettings.sandbox = .whenAvailable
        engine = try WebKitGTKEngine(engineSettings)
        if let fault = engine.sandboxFault { Self.warn(fault) }
        // On an unshaped network, there is no proxy between the engine and the network.
        proxy = options.network.isUnshaped ? nil : try await ShapedProxy.start(profile: options.network)
        let isDirect = proxy == nil && options.isSecluded
        wall = isDirect ? try await ShapedProxy.start(profile: .offline) : nil
        if let route = proxy ?? wall {
            var exceptions = isDirect ? options.coveredNames : []
            // Loopback is not part of the simulated network.
            if options.mode == .loopbackServer { exceptions.append("*.localhost") }
            engine.setProxy(EngineProxy(host: "127.0.0.1", port: route.port, exceptions: exceptions))
        }
        guard options.mode != .plain else {
            container = nil
            transport = nil
            do {
                try await trust()
            } catch {
                await proxy?.stop()
                await wall?.stop()
                throw error
            }
            return
        }
        var settings = AsyncHTTPTransport.Configuration()
        settings.authorities = options.trusted.map(\.authority)
        settings.proxy = proxy.map { HostPort(host: "127.0.0.1", port: $0.port) }
        let transport = AsyncHTTPTransport(settings)
        self.transport = transport
        let network: any HTTPTransporting =
            if let traffic = options.traffic { WatchingTransport(base: transport, log: traffic) } else { transport }
        var configuration = ContainerConfiguration(
            directory: options.directory, logger: Logger(label: "container-browser") { _ in OutputLogHandler() })
        configuration.network.transport = network
        // A developer waits for the program, so that it downloads without delay on any network.
        configuration.conditions = .favourable
        // The caller warms up a view with `warmUp()`.
        configuration.views.warmsUpWhenIdle = false
        // A failed page is reported as a failure, not recovered.
        configuration.pages.blankPages = nil
        configuration.pages.mode = options.mode
        configuration.network.loopback.upstreamProxy = (proxy ?? wall).map {
            HostPort(host: "127.0.0.1", port: $0.port)
        }
        configuration.network.coveredHosts = options.coveredHosts
        configuration.pages.forcedBridges = options.bridges
        configuration.views.pool = PoolCapacity(fixed: 1)
        // Each run begins without data from earlier runs, as in a bare engine.
        configuration.network.httpCache?.diskBytes = 0
        configuration.network.cookies.isPersistent = false
        configuration.network.cookies.native = .none
        if let table = options.prefetch {
            configuration.network.prefetch = PrefetchOptions()
            configuration.network.prefetch?.table = table
        }
        // Packages and tables come from the developer through the command line.
        configuration.packages.library.allowsInsecure = true
        configuration.packages.table = options.table.map { .init(endpoints: TableEndpoints(primary: $0)) }
        configuration.packages.table?.scope = .unlimited
        configuration.packages.table?.allowsInsecure = true
        do {
            let container = try await Container(engine: engine, configuration: configuration)
            self.container = container
            if let table = options.table { try await container.waitForTable(at: table) }
            try await trust()
            for package in options.packages {
                let installed = try await container.install(archive: package.archive, manifest: package.manifest)
                packageBases.append("\(installed.baseURL)")
            }
            // An observer receives a record when the page receives the response. The record therefore counts for the
            // right opening.
            container.observe { [weak self] event in
                if case .request(let record) = event { self?.requests.append(record) }
            }
        } catch {
            try? await transport.shutDown()
            await proxy?.stop()
            await wall?.stop()
            throw error
        }
    }

    private static var hasWarned = false

    /// Logs once per process that pages run without a sandbox.
    private static func warn(_ fault: EngineError) {
        guard !hasWarned else { return }
        hasWarned = true
        CommandOutput.log("warning: pages run without a sandbox: \(fault)")
    }

    /// Makes the engine trust the certificates of the options for connections that bypass the container.
    private func trust() async throws {
        for trusted in options.trusted {
            for host in trusted.hosts {
                let name = host.contains(":") ? "[\(host)]" : host
                try await engine.trust(trusted.certificate, for: name)
            }
        }
    }

    /// A Boolean value that indicates whether the network is cut.
    var isOffline: Bool { options.network.isOffline }

    /// The bytes received through the shaped network, or `nil` if the network is not shaped.
    var shapedBytes: Int64? { proxy?.counters.bytesDown }

    /// Returns the container's requests for a page's documents, in the order of their ends.
    private func documents(of opened: OpenedPage) -> [RequestRecord] {
        guard let id = opened.page?.session.id else { return [] }
        return requests.filter { $0.isMainDocument && $0.page == id }
    }

    /// Returns the most precise error for a page that could not be opened.
    /// - Parameter limit: The time limit of the page.
    func failure(of url: String, because error: any Error, in opened: OpenedPage?, limit: Duration) async -> any Error {
        // With a proxy or a server, the record arrives shortly after the engine's signal.
        if let opened, [.loopbackProxy, .loopbackServer].contains(options.mode) {
            for _ in 0..<10 where documents(of: opened).isEmpty { try? await Task.sleep(for: .milliseconds(20)) }
        }
        let failure = PageFailure(
            url: url, limit: limit, isOffline: options.network.isOffline, packageBases: packageBases)
        return failure.error(error, record: opened.flatMap { documents(of: $0).last })
    }

    /// Prepares a warm view for the next page if the options request one. Call it before the page is opened.
    func warmUp() async throws {
        guard options.warm else { return }
        if let container { return try await container.warmUp() }
        guard warmView == nil else { return }
        let view = try engine.makeView()
        try await view.warmUp()
        warmView = view
    }

    /// Opens a page in the warm view or in a new one.
    func open(_ url: String, prepare: @MainActor (WebKitGTKView) -> Void = { _ in }) async throws -> OpenedPage {
        if let container { return OpenedPage(try await container.open(url, prepare: prepare)) }
        let began = ContinuousClock.now
        let view = try warmView ?? engine.makeView()
        warmView = nil
        bareViews.append(view)
        let opened = OpenedPage(view: view, load: ViewLoad(of: view), checkOut: began.duration(to: .now))
        prepare(view)
        view.load(url)
        return opened
    }

    /// Closes a page and its view.
    func close(_ opened: OpenedPage) async {
        if let container, let page = opened.page {
            await container.close(page)
        } else {
            bareViews.removeAll { $0 === opened.view }
            opened.view.discard()
        }
    }

    private func tearDown() async {
        bareViews.forEach { $0.discard() }
        bareViews.removeAll()
        warmView?.discard()
        warmView = nil
        container?.releaseMemory()
        // The container closes its folder, because the next stage may open it.
        await container?.shutDown()
        container = nil
        try? await transport?.shutDown()
        await proxy?.stop()
        await wall?.stop()
    }
}

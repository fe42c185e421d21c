// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import ConnectTunnel
@_spi(Testing) internal import ContainerKit
internal import ContainerTesting
internal import HTTPTransport
internal import Logging
internal import OfflinePackage
internal import ResourceLoading
internal import ResourceTable
internal import WebEngine
internal import WebKitGTKAdapter

/// A fresh engine, bare or inside a container, with a network of its own.
@MainActor
final class Stage {
    let engine: WebKitGTKEngine
    private let options: StageOptions
    private var container: Container<WebKitGTKEngine>?
    private let transport: AsyncHTTPTransport?
    private let proxy: ShapedProxy?
    /// Where all hosts lead that a secluded stage keeps out.
    private let wall: ShapedProxy?
    private var bareViews: [WebKitGTKView] = []
    private var warmView: WebKitGTKView?
    private(set) var requests: [RequestRecord] = []
    private var packageBases: [String] = []

    /// Sets a stage up, passes it to `body`, and takes it down again, also after an error.
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
        // The same in every mode. The screen is mostly a virtual one, where OpenGL takes time from the page.
        engineSettings.usesHardwareAcceleration = options.usesOpenGL
        // So that it runs in containers without user namespaces, too.
        engineSettings.sandbox = .whenAvailable
        engine = try WebKitGTKEngine(engineSettings)
        if let fault = engine.sandboxFault { Self.warn(fault) }
        // With the bare, unshaped network nothing stands between the engine and the world.
        proxy = options.network.isUnshaped ? nil : try await ShapedProxy.start(profile: options.network)
        let isDirect = proxy == nil && options.isSecluded
        wall = isDirect ? try await ShapedProxy.start(profile: .offline) : nil
        if let route = proxy ?? wall {
            var exceptions = isDirect ? options.coveredNames : []
            // What lies on this machine is no network.
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
        settings.proxy = proxy.map { AsyncHTTPTransport.Proxy(host: "127.0.0.1", port: $0.port) }
        let transport = AsyncHTTPTransport(settings)
        self.transport = transport
        let network: any HTTPTransporting =
            if let traffic = options.traffic { WatchingTransport(base: transport, log: traffic) } else { transport }
        var configuration = ContainerConfiguration(
            directory: options.directory, logger: Logger(label: "container-browser"))
        configuration.network.transport = network
        // Whether a run begins with a warm view is the caller's to say.
        configuration.views.warmsUpWhenIdle = false
        // It reports what a page does; a page that fails is told as that, and not recovered.
        configuration.pages.blankPages = nil
        configuration.pages.mode = options.mode
        configuration.network.loopback.upstreamProxy = (proxy ?? wall).map {
            HostPort(host: "127.0.0.1", port: $0.port)
        }
        configuration.network.coveredHosts = options.coveredHosts
        configuration.pages.forcedBridges = options.bridges
        configuration.views.pool = PoolCapacity(fixed: 1)
        // Nothing that one run fetched answers the next, as in a bare engine, which keeps nothing either.
        configuration.network.httpCache?.diskBytes = 0
        configuration.network.cookies.isPersistent = false
        if let table = options.prefetch {
            configuration.network.prefetch = PrefetchOptions()
            configuration.network.prefetch?.table = table
        }
        // Packages and tables are the developer's own, named on the command line.
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
            // Each record is there when the page has its response, so that it counts for the right opening.
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

    /// Says once in a run of the program that pages have no sandbox.
    private static func warn(_ fault: EngineError) {
        guard !hasWarned else { return }
        hasWarned = true
        CommandOutput.log("warning: pages run without a sandbox: \(fault)")
    }

    /// Has the engine trust what the options name, for its own connections.
    private func trust() async throws {
        for trusted in options.trusted {
            for host in trusted.hosts {
                let name = host.contains(":") ? "[\(host)]" : host
                try await engine.trust(trusted.certificate, for: name)
            }
        }
    }

    /// Whether the network is cut.
    var isOffline: Bool { options.network.isOffline }

    /// Bytes that came through the shaped network; `nil` where the network is not shaped.
    var shapedBytes: Int64? { proxy?.counters.bytesDown }

    /// The container's own requests for a page's documents, in the order in which they ended.
    private func documents(of opened: OpenedPage) -> [RequestRecord] {
        guard let id = opened.page?.session.id else { return [] }
        return requests.filter { $0.isMainDocument && $0.page == id }
    }

    /// Why a page could not be opened, told by whoever knows most of it.
    /// - Parameter limit: the time that it had.
    func failure(of url: String, because error: any Error, in opened: OpenedPage?, limit: Duration) async -> any Error {
        // By a proxy or a server the record comes a moment after the engine's word.
        if let opened, [.loopbackProxy, .loopbackServer].contains(options.mode) {
            for _ in 0..<10 where documents(of: opened).isEmpty { try? await Task.sleep(for: .milliseconds(20)) }
        }
        let failure = PageFailure(
            url: url, limit: limit, isOffline: options.network.isOffline, packageBases: packageBases)
        return failure.error(error, record: opened.flatMap { documents(of: $0).last })
    }

    /// Prepares the next page's view, where the options ask for a warm one. This belongs to the time before the page
    /// is asked for.
    func warmUp() async throws {
        guard options.warm else { return }
        if let container { return try await container.warmUp() }
        guard warmView == nil else { return }
        let view = try engine.makeView()
        try await view.warmUp()
        warmView = view
    }

    /// Opens a page in the view that was warmed up, or in a new one.
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
        // The next stage may open the same folder.
        await container?.shutDown()
        container = nil
        try? await transport?.shutDown()
        await proxy?.stop()
        await wall?.stop()
    }
}

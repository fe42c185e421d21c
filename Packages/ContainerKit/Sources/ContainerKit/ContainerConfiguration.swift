// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import BodyBridge
public import Diagnostics
public import HTTPCache
public import HTTPTransport
public import Logging
public import Metrics
public import NameResolution
public import OfflinePackage
public import PackageUpdates
public import PageDownloads
public import PageInterface
public import PagePrefetch
public import PagePrompts
public import PageRecovery
public import RemoteConfig
@_spi(Testing) public import RequestPipeline
public import ResourceLoading
public import ResourceStore
public import ResourceTable
public import SchemeMode
public import SchemeRouter
public import WebEngine
public import WebViewPool

// `Network` is a trait of the package.
#if Network
    internal import NIOTransport
#endif

/// The options of a container. Only the directory is required; all other options have defaults.
public struct ContainerConfiguration: Sendable {
    /// The directory of the packages, their index and the caches. One process at a time can use it.
    public var directory: String
    /// The logger for problems that no method reports as an error: damaged files, rollbacks, deferred changes. By
    /// default a logger with the label `containerkit`.
    public var logger: Logger
    /// The conditions of the device and the app. Downloads, repairs, tables, remote config, the preparation of views
    /// and the release of memory depend on them. `nil`, the default, selects the engine's report of the system, and the
    /// container's own idleness: ``Views/idleDelay`` has passed without an event, and no page loads.
    /// A value of the app is used unchanged, including its idleness.
    public var conditions: (any HostConditioning)?
    /// The cost of a network whose cost the system does not report, if ``conditions`` is `nil`. By default `unknown`,
    /// which permits no background downloads.
    public var unknownNetwork = HostConditions.Network.unknown
    /// The clock of the time limits of page requests, downloads and the proof of the proxy. The default clock stops
    /// while the machine sleeps.
    public var clock: any Clock<Duration> = SuspendingClock()
    /// The options of packages, their updates and the resource table.
    public var packages = Packages()
    /// The options of requests and their responses.
    public var network = Network()
    /// The options of pages.
    public var pages = Pages()
    /// The options of the pool of views.
    public var views = Views()
    /// The limits of disk space and memory.
    public var storage = Storage()
    /// The options of remote config, a document that switches features on and off. `nil` by default; then all features
    /// are on.
    public var remote: RemoteConfigOptions?
    /// The options of metrics and timelines.
    public var diagnostics = Diagnostics()

    /// Creates a configuration with the default options.
    /// - Parameters:
    ///   - directory: the directory of the container.
    ///   - logger: the logger of the container.
    public init(directory: String, logger: Logger = Logger(label: "containerkit")) {
        self.directory = directory
        self.logger = logger
    }
}

extension ContainerConfiguration {
    /// The options of packages, their updates and the resource table.
    public struct Packages: Sendable {
        /// The options of the package library: the limits of archives and manifests, and the permission to use `http`,
        /// off by default. The container replaces its logger by ``ContainerConfiguration/logger``.
        public var library = PackageLibrary.Configuration()
        /// The handling of package URLs without a file.
        public var fileAnswers = FileAnswerOptions()
        /// The options of updates: trials, downloads, the version of the host. The container replaces the conditions by
        /// ``ContainerConfiguration/conditions`` and the logger by ``ContainerConfiguration/logger``.
        public var updates = PackageUpdater.Configuration()
        /// The updates that the container starts itself; none by default.
        public var automatic = AutomaticUpdates()
        /// The options of reports about releases, which are sent to a server of the publisher; none by default.
        /// `docs/operations.md` describes them.
        public var reports: ReleaseReports?
        /// The resource table of a server with the older protocol; none by default. It is requested at launch, when
        /// pages open and close, and when the app enters the foreground. Packages precede it. It applies to the hosts
        /// of its endpoints unless its `scope` names other hosts.
        public var table: TableLibrary.Configuration?

        /// Creates the default options.
        public init() {}
    }

    /// The options of requests and their responses.
    public struct Network: Sendable {
        /// The transport of requests that go to the network. The default is a URLSession transport on Apple's systems,
        /// for their proxies and App Transport Security; elsewhere an AsyncHTTPClient transport, or a URLSession
        /// transport without the package trait `Network`.
        public var transport: any HTTPTransporting = PlatformTransport.make()
        /// The proxies of the container's connections; those of the system's settings by default, as for those of the
        /// engine. A proxy of ``transport`` or ``loopback`` replaces them. Loopback hosts are never behind them.
        /// URLSession applies the settings of the system itself, whatever this value is.
        public var proxies = ProxySelection.system
        /// The servers that resolve host names over HTTPS, and when they are used; none by default. They serve the
        /// connections of the container, and all of pages in the mode `loopbackProxy`. `docs/name-resolution.md`
        /// describes them.
        public var nameResolution: NameResolutionOptions?
        /// The HTTP cache of one user, for requests that no package answers: those of the app, and those of pages in
        /// modes in which the engine does not cache itself. By default 10 MB in memory and 100 MB on disk; `nil` for no
        /// cache.
        public var httpCache: HTTPCacheOptions? = HTTPCacheOptions()
        /// The requests that the container sends when a page opens, before the page requests them; none by default.
        public var prefetch: PrefetchOptions?
        /// The options of the cookies of pages. By default they are synchronized with `HTTPCookieStorage.shared`, and
        /// those of the mode `customScheme`, which the engine does not store, are saved to a file.
        public var cookies = CookieOptions()
        /// The route rules, which add requests to interception or exclude them; none by default. Rules also apply to
        /// requests that packages cover, and the deny list precedes all other rules. ``Container/setRules(_:)``
        /// replaces the rules later.
        public var rules: RouteRules = .none
        /// The hosts whose pages are intercepted without a covering package; none by default.
        public var coveredHosts: [HostPattern] = []
        /// The content sources of the app, such as its own cache of images; none by default. Sources at one place
        /// answer in the order of the list. `docs/route-rules.md` has an example.
        public var hostContent: [HostContent] = []
        #if Loopback
            /// The options of the loopback proxy and the local server. They exist with the trait `Loopback` only.
            public var loopback = LoopbackOptions()
        #endif

        /// Creates the default options.
        public init() {}
    }

    /// The options of pages.
    public struct Pages: Sendable {
        /// The mode of covered pages. `nil`, the default, selects the `standardMode` of the engine, which is
        /// `loopbackProxy` on WebKitGTK and `document` on WKWebView. Without the package trait `Loopback`, `document`
        /// replaces the loopback modes. Another package of the app may enable the trait; set the mode if it matters.
        /// `plain` turns interception off, except for the entries of ``modes``. `httpsTakeover` needs an engine that
        /// permits it, applies to all pages, and cannot be combined with other modes.
        /// WKWebView may ignore its proxy. There `document` replaces `loopbackProxy` until requests have proved the
        /// proxy; `LoopbackEvent.unproven(reason:)` reports a failed proof.
        public var mode: InterceptionMode?
        /// The exceptions from ``mode`` for some covered pages; none by default. The last matching entry applies. All
        /// modes of the list are active from the start and share packages, caches and cookies. `loopbackServer` can be
        /// combined with `plain` only. `docs/route-rules.md` describes the relations between pages of different modes.
        public var modes: [PageMode] = []
        /// The policy for the mode of an origin after its first page, in modes that change the origin of pages. By
        /// default an origin that was intercepted once remains intercepted.
        public var originModes = OriginModePolicy.staysIntercepted
        /// The custom schemes of pages in the mode `customScheme`; `containerkit` and `containerkit-http` by default.
        public var schemeNames: SchemeNames = .standard
        /// The time limit for the engine to remove outdated package files from its caches when a page opens; 3 seconds
        /// by default. After the limit the page opens anyway. It applies to modes in which the engine caches package
        /// files.
        var engineCacheLimit = Duration.seconds(3)
        /// The message protocol of legacy pages, which also enables the `post` requests of older apps. `nil`, the
        /// default, disables both. With this option, covered pages of all modes have the message handlers and
        /// `window.original_cookie`.
        public var legacyMessages: LegacyMessages?
        /// The user agent of views; that of the engine by default. ``PageOptions`` can override it for a page.
        public var userAgent = UserAgent.engine
        /// The values, by origin, that pages receive before their scripts run; none by default. They are constant for
        /// the lifetime of the container, so pass the values of an account by ``PageOptions``.
        public var initialData: [InitialPageData] = []
        /// The interface of covered pages to the container, such as `window.containerkit`. `nil`, the default, disables
        /// it. `docs/page-interface.md` describes it.
        public var interface: PageInterfaceOptions?
        /// The options of blank page recovery; see ``/PageRecovery/BlankPageOptions``. `nil` disables it.
        public var blankPages: BlankPageOptions? = BlankPageOptions()
        /// The hosts whose documents pages may show, and the limits of requests to ``Container/pageDelegate``.
        public var requests = PageRequestOptions()
        /// The size and count limits of the downloads that ``Container/pageDelegate`` accepts.
        public var downloads = DownloadOptions()
        /// The bridges that are added to pages in loopback modes for tests; none by default. These modes need no
        /// bridge, and a bridge costs time and memory.
        @_spi(Testing) public var forcedBridges: ForcedBridges = []

        /// Creates the default options.
        public init() {}
    }

    /// The options of the pool of views.
    public struct Views: Sendable {
        /// The number of warm views, which adapts to use; by default 3 initially, then 1 to 6.
        public var pool = PoolCapacity.standard
        /// A Boolean value that indicates whether the container prepares views automatically when the app is idle;
        /// `true` by default. The app is idle if no event occurred for ``idleDelay``, no page loads, the app is in the
        /// foreground, memory is not short, and conditions of the app are idle.
        public var warmsUpWhenIdle = true
        /// The time without an event after which the app is idle; 1 second by default.
        public var idleDelay = Duration.seconds(1)
        /// The maximum number of pages of one site that a web process shows before it is replaced; 50 by default.
        public var reuseLimit = 50

        /// Creates the default options.
        public init() {}
    }

    /// The limits of disk space and memory.
    public struct Storage: Sendable {
        /// The disk budgets and caches of the directory; see ``/ResourceStore/BlobStore/Configuration`` for the
        /// defaults.
        public var budgets = BlobStore.Configuration()
        /// The maximum number of bytes in memory of caches, relayed bodies, and files that are held until they are
        /// verified; 128 MB by default. Memory of views belongs to the engine and is not included.
        ///
        /// One half is the share of the request bodies that have passed through a bridge. One eighth each is the share
        /// of small stored files, of the HTTP cache, and of a style sheet that is verified. One sixteenth each is the
        /// share of prefetched responses, and of a package file that is downloaded. A larger limit of another option
        /// is lowered to its share.
        public var memoryCeiling = 128 << 20

        /// Creates the default options.
        public init() {}
    }

    /// The options of metrics and timelines.
    public struct Diagnostics: Sendable {
        /// The metrics backend; `docs/seeing.md` lists the metrics. By default the backend that `MetricsSystem` has
        /// when the configuration is created. If the process has set no backend, nothing is counted.
        public var metrics: any MetricsFactory = MetricsSystem.factory
        /// The options of timelines, which record how pages open. They are available by ``Container/timelines()`` and
        /// as one log line per page. `nil`, the default, disables the recording.
        public var timelines: TimelineOptions?

        /// Creates the default options.
        public init() {}
    }
}

/// The default transport of ``ContainerConfiguration/Network/transport``.
enum PlatformTransport {
    static func make() -> any HTTPTransporting {
        #if Network && !canImport(Darwin)
            AsyncHTTPTransport()
        #elseif Network
            var configuration = URLSessionTransport.Configuration()
            configuration.startTunnel = AsyncHTTPTransport.startTunnel
            configuration.onTunnelFailure = { Logger(label: "containerkit").warning("\($0)") }
            return URLSessionTransport(configuration)
        #else
            URLSessionTransport()
        #endif
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import BodyBridge
public import Diagnostics
public import HTTPCache
public import HTTPTransport
public import Logging
public import Metrics
public import OfflinePackage
public import PageDownloads
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

/// The options of a container. Each option has a default; a directory is all that a container needs.
public struct ContainerConfiguration: Sendable {
    /// The directory of the container, with its packages and their index. One process at a time can use it.
    public var directory: String
    /// The logger of the container, its packages and its updates, for what no method returns as an error: damage,
    /// rollbacks, deferred changes. By default the logging system of the process, with the label `containerkit`.
    public var logger: Logger
    /// The conditions of the device and the app, for all features of the container: downloads, repairs, tables, remote
    /// config, the preparation of views, the release of memory. By default they are always favourable.
    public var conditions: any HostConditioning = .favourable
    /// The clock of the time limits of page requests and downloads; a clock that stops while the machine sleeps by default.
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
    /// Remote config: a document, of a server or the host, that turns features on and off; `nil`, and all features on,
    /// by default.
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
        /// The limits of archives and manifests, and the permission to use `http`, which is off by default. Its logger is
        /// replaced by ``ContainerConfiguration/logger``.
        public var library = PackageLibrary.Configuration()
        /// The responses of packages to paths without a file.
        public var fileAnswers = FileAnswerOptions()
        /// The options of updates: trials, downloads, the version of the host. The container replaces their conditions by
        /// ``ContainerConfiguration/conditions``, and their logger by ``ContainerConfiguration/logger``.
        public var updates = PackageUpdater.Configuration()
        /// The resource table of a server of the older kind; none by default. It is requested at launch, when pages open
        /// and close, and in the foreground. Its resources are used after those of packages. It applies to the hosts of
        /// its endpoints unless its `scope` names others.
        public var table: TableLibrary.Configuration?

        /// Creates the default options.
        public init() {}
    }

    /// The options of requests and their responses.
    public struct Network: Sendable {
        /// The transport of requests that neither packages nor caches answer; ``/HTTPTransport/PlatformTransport`` by
        /// default.
        public var transport: any HTTPTransporting = PlatformTransport.make()
        /// The HTTP cache for requests that no package answers; by default 10 MB in memory and 100 MB on disk, for one
        /// user. `nil` for none.
        public var httpCache: HTTPCacheOptions? = HTTPCacheOptions()
        /// The requests that are made when a page is opened, before the page makes them; `nil`, and none, by default.
        public var prefetch: PrefetchOptions?
        /// The cookies of pages whose engine stores none, in custom-scheme mode; stored in a file by default.
        public var cookies = CookieOptions()
        /// The rules that add requests to those that are intercepted, or take them out; none by default. A rule also
        /// applies to requests that packages cover, and the deny list has precedence over all others.
        /// ``Container/setRules(_:)`` replaces them later.
        public var rules: RouteRules = .none
        /// The hosts whose pages are intercepted although no package covers them; none by default.
        public var coveredHosts: [HostPattern] = []
        /// The options of the loopback proxy and the local server, for modes that use one of them.
        public var loopback = LoopbackOptions()

        /// Creates the default options.
        public init() {}
    }

    /// The options of pages.
    public struct Pages: Sendable {
        /// The mode of covered pages. `nil`, the default, is the `standardMode` of the engine: the loopback proxy on
        /// WebKitGTK, the custom scheme on engines that name none. `plain` turns interception off, except for the pages
        /// of ``modes``.
        public var mode: InterceptionMode?
        /// The pages that open in another mode than ``mode`` if they are covered; none by default. The last entry that
        /// matches applies. All modes of the list are in use from the start, with the same packages, caches and cookies;
        /// `loopbackServer` can be combined with `plain` only. `docs/route-rules.md` describes what pages of different
        /// modes share.
        public var modes: [PageMode] = []
        /// The mode of an origin after its first page, for modes that change the origin which pages see. By default an
        /// origin that was intercepted stays intercepted.
        public var originModes = OriginModePolicy.staysIntercepted
        /// The schemes of pages in custom-scheme mode; `containerkit` and `containerkit-http` by default.
        public var schemeNames: SchemeNames = .standard
        /// The time limit for the engine to remove files of older versions when a page opens, in modes in which the
        /// engine stores files; 3 seconds by default. After it the page opens all the same.
        public var engineCacheLimit = Duration.seconds(3)
        /// The messages of older pages, and the `post` requests of older apps; `nil`, and no support for them, by
        /// default. With this option covered pages of all modes have the message handlers and `window.original_cookie`.
        public var legacyMessages: LegacyMessages?
        /// The user agent of views; that of the engine by default. ``PageOptions`` has another one for a single page.
        public var userAgent = UserAgent.engine
        /// The values, by origin, that pages receive before their scripts run; none by default. They are the same for the
        /// lifetime of the container: values of an account belong to ``PageOptions``.
        public var initialData: [InitialPageData] = []
        /// The options of the recovery of blank pages; see ``/PageRecovery/BlankPageOptions``. No page is watched if it is
        /// `nil`.
        public var blankPages: BlankPageOptions? = BlankPageOptions()
        /// The hosts whose documents pages show, and the limits of requests to ``Container/pageDelegate``.
        public var requests = PageRequestOptions()
        /// The limits of size and number of the downloads that ``Container/pageDelegate`` accepts.
        public var downloads = DownloadOptions()
        /// The bridges of pages over loopback, which need none; none by default. They cost time and memory, and are for
        /// tests.
        @_spi(Testing) public var forcedBridges: ForcedBridges = []

        /// Creates the default options.
        public init() {}
    }

    /// The options of the pool of views.
    public struct Views: Sendable {
        /// The number of warm views, which follows use; by default 3 at first, and then 1 to 6.
        public var pool = PoolCapacity.standard
        /// The number of warm views at first. A new value is also the minimum and the maximum.
        public var poolCapacity: Int {
            get { pool.standard }
            set { pool = PoolCapacity(fixed: newValue) }
        }
        /// A Boolean value that indicates whether the container prepares views without a call of ``Container/warmUp()``
        /// when the app is idle: nothing has happened for ``idleDelay``, no page loads, the app is in the foreground,
        /// memory is not short, and ``ContainerConfiguration/conditions`` are idle. True by default.
        public var warmsUpWhenIdle = true
        /// The time without an event after which the app counts as idle; 1 second by default.
        public var idleDelay = Duration.seconds(1)
        /// The maximum number of pages of one site that the web process of a view shows before it ends; 50 by default.
        public var reuseLimit = 50

        /// Creates the default options.
        public init() {}
    }

    /// The limits of disk space and memory.
    public struct Storage: Sendable {
        /// The budgets and caches of the directory; see ``/ResourceStore/BlobStore/Configuration`` for the defaults.
        public var budgets = BlobStore.Configuration()
        /// The maximum number of bytes in memory of caches, relayed bodies, and files that are held until they are
        /// verified; 128 MB by default. ``MemoryBudget`` has the shares; a larger limit of another option is lowered to
        /// its share. A file that is held until it is verified has a limit of its own. The memory of views belongs to the
        /// engine and is not included.
        public var memoryCeiling = 128 << 20

        /// Creates the default options.
        public init() {}
    }

    /// The options of metrics and timelines.
    public struct Diagnostics: Sendable {
        /// The backend of the metrics, whose names are in `docs/seeing.md`. By default the metrics system of the process
        /// at the time when the configuration is created; nothing is counted if there is none.
        public var metrics: any MetricsFactory = MetricsSystem.factory
        /// The options for recording how pages open: as ``/Diagnostics/PageTimeline``, by ``Container/timelines()``, and
        /// as a line in the log for each page. `nil`, and no recording, by default.
        public var timelines: TimelineOptions?

        /// Creates the default options.
        public init() {}
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import BodyBridge
public import Diagnostics
public import HTTPCache
public import HTTPTransport
public import Logging
public import LoopbackInterception
public import Metrics
public import OfflinePackage
public import PageDownloads
public import PagePrefetch
public import PagePrompts
public import PageRecovery
public import RemoteConfig
public import ResourceStore
public import ResourceTable
public import SchemeMode
public import SchemeRouter
public import WebEngine
public import WebViewPool

extension Container {
    /// What a container is made of, and how it works.
    public struct Configuration: Sendable {
        /// The folder that belongs to this container: packages and their index. One process at a time uses it.
        public var directory: String
        /// How requests that no package answers reach the network; AsyncHTTPClient by default.
        public var transport: any HTTPTransporting
        /// Where the container, its packages and its updates report what no caller hears: damage, rollbacks, changes
        /// that have to wait. The process's logging system by default, under the label `containerkit`.
        public var logger: Logger
        /// Where the container counts what happens, by the names of `docs/seeing.md`. The process's metrics system by
        /// default, as it is when the configuration is made; nothing is counted where that keeps nothing.
        public var metrics: any MetricsFactory = MetricsSystem.factory

        /// Budgets and caches of the folder; see `BlobStore.Configuration` for the defaults.
        public var store = BlobStore.Configuration()
        /// What packages may ask for: limits on archives and manifests, and whether they may come over `http`, which they
        /// may not by default. Its logger is ``logger``.
        public var packages = PackageLibrary.Configuration()
        /// How they answer paths that they have no file for.
        public var fileAnswers = FileAnswerOptions()
        /// How packages are kept up to date: trials, downloads, the host's conditions and version. `space` is the
        /// store's, and its logger is ``logger``.
        public var updates = PackageUpdater.Configuration()
        /// The resource table of a server of the older kind; none by default. It is asked for at launch, when pages open and
        /// close, and in the foreground; what it lists answers after the packages. It speaks for the hosts of its
        /// endpoints, unless its `scope` names others.
        public var table: TableLibrary.Configuration?
        /// The HTTP cache before the network, for requests that no package answers; 10 MB in memory and 100 MB on disk by
        /// default, for one user. `nil` for none.
        public var httpCache: HTTPCacheOptions? = HTTPCacheOptions()
        /// What is asked for when a page is opened, before the page asks for it; `nil`, and nothing, by default.
        public var prefetch: PrefetchOptions?
        /// The cookies of pages whose engine has none, in custom-scheme mode; kept in a file by default.
        public var cookies = CookieOptions()
        /// Bridges of pages over loopback, which need none; none by default. They cost time and memory, and are for tests.
        public var forcedBridges: ForcedBridges = []
        /// The schemes under which pages open in custom-scheme mode; `containerkit` and `containerkit-http` by default.
        public var names: SchemeNames = .standard
        /// The mode of pages that are covered; the engine's `standardMode` by default, which is the loopback proxy on
        /// WebKitGTK, and custom scheme elsewhere until devices have proven another. `plain` turns interception off,
        /// but for what ``pageModes`` names.
        public var mode = Engine.standardMode
        /// Pages that open in another mode than ``mode``, where they are covered; none by default. The last that fits
        /// decides. All modes that are named here are in use from the start, over the same packages, caches and
        /// cookies; `loopbackServer` goes together with `plain` alone. `docs/route-rules.md` has what pages have of
        /// each other.
        public var pageModes: [PageMode] = []
        /// How the proxy or the local server works, where one of them is a mode in use.
        public var loopback = LoopbackOptions()
        /// How long a page that opens waits at most for the engine to forget files of older versions, in modes where the
        /// engine keeps files itself; 3 seconds by default. The page then opens all the same.
        public var engineCacheLimit = Duration.seconds(3)
        /// Hosts whose pages are intercepted although no package covers them; none by default.
        public var coveredHosts: [HostPattern] = []
        /// Which requests are intercepted, and which are not, beside what is covered; none by default. A rule decides also
        /// over what packages cover, and the deny list over all. `Container.setRules(_:)` changes them later.
        public var rules: RouteRules = .none
        /// The messages that older pages speak, and `post` requests of older apps; `nil`, and nothing of them, by default. Covered
        /// pages in all modes then find the handlers and `window.original_cookie`.
        public var legacyMessages: LegacyMessages?
        /// How many views are kept warm, a number that follows use; by default 3 at first, and then 1 to 6.
        public var pool = PoolCapacity.standard
        /// Whether views are prepared without ``Container/warmUp()`` whenever the app is idle: it was quiet for
        /// ``idleDelay``, no page loads, the app is on screen, memory is not short, and the host's conditions,
        /// ``updates``, say so. True by default.
        public var warmsUpWhenIdle = true
        /// How long nothing may have happened before the app counts as idle; 1 second by default.
        public var idleDelay = Duration.seconds(1)
        /// The most bytes that caches, bodies on their way, and files that are held until they are known to be right may
        /// have in memory, all together; 128 MB by default. ``MemoryBudget`` says who may have how much of it; what
        /// another option asks for beyond that is cut. A file that is held until it is known to be right is limited by
        /// itself, and not together with others. Views are not in it, as their memory is the engine's.
        public var memoryCeiling = 128 << 20
        /// What views call themselves; the engine's own by default. ``PageOptions`` has another for one page.
        public var userAgent = UserAgent.engine
        /// Values that pages are given before their scripts run, by origin; none by default. They are the same as long as
        /// the container lives, whoever is signed in: what belongs to an account goes to ``PageOptions``.
        public var initialData: [InitialPageData] = []
        /// What becomes of an origin's mode once it was opened, in modes that change the origin which its pages see:
        /// what was intercepted stays so by default.
        public var originModes = OriginModePolicy.staysIntercepted
        /// What ``pool`` begins with. Once set, the number of warm views stays.
        public var poolCapacity: Int {
            get { pool.standard }
            set { pool = PoolCapacity(fixed: newValue) }
        }
        /// How many pages of one site a view's web process shows, one after the other, before it ends; 50 by default.
        public var viewReuseLimit = 50
        /// Remote config: a document of a server or the host by which features are on and off; `nil`, and all on, by
        /// default.
        public var remoteConfig: RemoteConfigOptions?
        /// The options of the recovery of blank pages; see ``/PageRecovery/BlankPageOptions``. No page is watched if it is
        /// `nil`.
        public var blankPages: BlankPageOptions? = BlankPageOptions()
        /// The options for recording how pages open: as ``/Diagnostics/PageTimeline``, by `Container.timelines()`, and as
        /// a line in the log for each page. `nil`, and no recording, by default.
        public var timelines: TimelineOptions?
        /// Which hosts' documents pages show, and how long they wait for what they ask of ``Container/pageDelegate``.
        public var pageRequests = PageRequestOptions()
        /// What pages may save, where ``Container/pageDelegate`` says so: how much, and how many at a time.
        public var downloads = DownloadOptions()

        /// A configuration with the default options.
        public init(
            directory: String, transport: any HTTPTransporting = PlatformTransport.make(),
            logger: Logger = Logger(label: "containerkit")
        ) {
            self.directory = directory
            self.transport = transport
            self.logger = logger
        }
    }
}

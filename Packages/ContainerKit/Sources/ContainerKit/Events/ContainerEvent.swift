// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import NameResolution
public import OfflinePackage
public import PackageFormat
public import PageDownloads
public import PageInterface
public import PagePrefetch
public import PageRecovery
public import RemoteConfig
public import ResourceLoading
public import ResourceTable
public import WebEngine

/// An event of a container. Later versions can add cases, so a `switch` needs a `default`.
public enum ContainerEvent: Sendable {
    /// The host installed a package by `Container.install(archive:manifest:)`.
    case packageInstalled(InstalledPackage)
    /// An event of package updates.
    case package(PackageEvent)
    /// A check of the resource table with its server has ended.
    case tableChecked(TableTrigger, TableCheckResult)
    /// A preview was mounted in place of a package.
    case previewMounted(Preview)
    /// A preview was unmounted.
    case previewUnmounted(Preview)
    /// The route rules were replaced.
    case rulesChanged
    /// Interception was enabled or disabled by ``Container/isEnabled``.
    case interceptionSwitched(isEnabled: Bool)
    /// A page was opened.
    case pageOpened(PageSession)
    /// The view of a page sent a signal.
    case page(PageID, ViewSignal)
    /// A page was closed, and its package generations were unpinned.
    case pageClosed(PageID)
    #if Loopback
        /// An event of the loopback proxy or of the local server. This case exists with the trait `Loopback` only.
        case loopback(LoopbackEvent)
    #endif
    /// The engine removed its cached files under these URLs, because the package now serves other files.
    case engineCachesCleared([PackageBaseURL])
    /// The engine failed to remove its cached files, so a page may get an outdated file. The removal is retried when
    /// the next page opens.
    case engineCachesKept([PackageBaseURL], EngineError)
    /// An event of the servers that resolve host names.
    case nameResolution(NameLookupEvent)
    /// The engine's cookie store became slow (`true`) or fast again (`false`). Pages do not wait for a slow store.
    case cookiesBehind(Bool)
    /// An account was signed out. `isComplete` is `false` if some of its data could not be removed.
    case signedOut(isComplete: Bool)
    /// Blank page recovery takes a step.
    case blankPage(PageID, BlankPageStep)
    /// A page called the container by its interface.
    case pageInterface(PageID, PageInterfaceEvent)
    /// A request of a page to the app has ended.
    case pageRequest(PageID, PageRequestRecord)
    /// An event of a download. Its page may be closed already.
    case download(PageID, DownloadEvent)
    /// A check of the prefetch table with its server has ended.
    case prefetchTableChecked(PrefetchTableCheck)
    /// A check of remote config with its server has ended.
    case remoteConfigChecked(RemoteConfigCheck)
    /// The state of remote config changed.
    case remoteConfigChanged(RemoteConfigState)
    /// Remote config names modes that the configuration does not use. They have no effect.
    case remoteConfigModesIgnored([InterceptionMode])
    /// A request that the container received has ended.
    case request(RequestRecord)
}

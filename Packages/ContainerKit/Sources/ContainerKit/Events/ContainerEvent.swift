// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import LoopbackServer
public import OfflinePackage
public import PackageFormat
public import PageDownloads
public import PagePrefetch
public import PageRecovery
public import RemoteConfig
public import ResourceLoading
public import ResourceTable
public import WebEngine

/// An event of a container. Later versions add cases: a `switch` needs a `default`.
public enum ContainerEvent: Sendable {
    /// The host installed a package by `Container.install(archive:manifest:)`.
    case packageInstalled(InstalledPackage)
    /// An event of a package that the container updates.
    case package(PackageEvent)
    /// The result of a check of the resource table with its server.
    case tableChecked(TableTrigger, TableCheckResult)
    /// A folder or a development server replaces a package from now on.
    case previewMounted(Preview)
    /// The preview no longer replaces the package.
    case previewUnmounted(Preview)
    /// Other route rules apply to requests that start from now on.
    case rulesChanged
    /// Interception was turned off or on as a whole.
    case interceptionSwitched(isEnabled: Bool)
    /// The host opened a page.
    case pageOpened(PageSession)
    /// A signal of the view of a page.
    case page(PageID, ViewSignal)
    /// A page was closed, and its package generations are no longer pinned.
    case pageClosed(PageID)
    /// An event of the proxy of the mode `loopbackProxy`, or of the server of the mode `loopbackServer`.
    case loopback(LoopbackEvent)
    /// The engine dropped its cached files under these URLs, because other files are served there now.
    case engineCachesCleared([PackageBaseURL])
    /// The engine failed to drop its cached files, so that a page may get an older file; the next open page retries.
    case engineCachesKept([PackageBaseURL], EngineError)
    /// The engine's cookie store is late: pages open without waiting for it, until the same event has `false`.
    case cookiesBehind(Bool)
    /// An account was signed out; `isComplete` is `false` if some of its data could not be removed.
    case signedOut(isComplete: Bool)
    /// A step of the recovery of a blank page.
    case blankPage(PageID, BlankPageStep)
    /// A request of a page to the app, and its result.
    case pageRequest(PageID, PageRequestRecord)
    /// An event of a file that a page saves; the page may be closed already.
    case download(PageID, DownloadEvent)
    /// The result of a check of the prefetch table with its server.
    case prefetchTableChecked(PrefetchTableCheck)
    /// The result of a check of remote config with its server.
    case remoteConfigChecked(RemoteConfigCheck)
    /// Remote config has a new state.
    case remoteConfigChanged(RemoteConfigState)
    /// Remote config names these modes, but the configuration does not: the pages open as if it named none.
    case remoteConfigModesIgnored([InterceptionMode])
    /// A request that came through the container has ended.
    case request(RequestRecord)
}

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

/// Something that happened in a container. Kinds are added over time: keep a default when switching.
public enum ContainerEvent: Sendable {
    /// The host installed a package by `Container.install(archive:manifest:)`.
    case packageInstalled(InstalledPackage)
    /// Something happened to a package that the container keeps up to date.
    case package(PackageEvent)
    /// The resource table's server was asked, and what came of it.
    case tableChecked(TableTrigger, TableCheckResult)
    /// A folder or a development server stands in for a package from now on.
    case previewMounted(Preview)
    /// It does so no longer.
    case previewUnmounted(Preview)
    /// Other rules apply to requests that start from now on.
    case rulesChanged
    /// Interception was switched off as a whole, or on again.
    case interceptionSwitched(isEnabled: Bool)
    /// The host opened a page.
    case pageOpened(PageSession)
    /// The view of a page said something.
    case page(PageID, ViewSignal)
    /// A page was closed; what it pinned is let go of.
    case pageClosed(PageID)
    /// Something happened to the proxy of the mode `loopbackProxy`, or to the server of the mode `loopbackServer`.
    case loopback(LoopbackEvent)
    /// The engine has forgotten what it held of the files under these URLs, since others answer there now.
    case engineCachesCleared([PackageBaseURL])
    /// It could not, so that a page may get an older file from its caches. It is tried again when the next page opens.
    case engineCachesKept([PackageBaseURL], EngineError)
    /// A page opened before the engine's cookie store and the container's had the same, since the engine did not answer in
    /// time. Pages do not wait for it any more, until the same event comes with `false`.
    case cookiesBehind(Bool)
    /// An account was signed out; whether nothing of it is left.
    case signedOut(isComplete: Bool)
    /// A step is taken because a page stays blank.
    case blankPage(PageID, BlankPageStep)
    /// A page asked something of the app, and this came of it.
    case pageRequest(PageID, PageRequestRecord)
    /// Something happened to a file that a page saves; the page may be closed by then.
    case download(PageID, DownloadEvent)
    /// The server of the prefetch table was asked, and what came of it.
    case prefetchTableChecked(PrefetchTableCheck)
    /// The server of remote config was asked, and what came of it.
    case remoteConfigChecked(RemoteConfigCheck)
    /// Remote config says something else from now on.
    case remoteConfigChanged(RemoteConfigState)
    /// Remote config names these modes for some pages, but the container was not configured with them: the pages
    /// open as if it named none.
    case remoteConfigModesIgnored([InterceptionMode])
    /// A request that came through the container has ended.
    case request(RequestRecord)
}

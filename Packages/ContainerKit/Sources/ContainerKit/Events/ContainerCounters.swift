// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPCache
public import NameResolution
public import PageDownloads
public import PagePrefetch
public import Prefetch
public import RemoteConfig
public import ResourceStore
public import ResourceTable
public import WebViewPool

/// The counters of a container since it was opened.
public struct ContainerCounters: Sendable, Hashable {
    /// The number of package files that could not be read from the store. The network answered each of these requests.
    public var unreadableFiles = 0
    /// The counters of damaged and dropped blobs, resources and documents, and of memory in use.
    public var store = StoreCounters()
    /// The counters of the resource table, or `nil` if it is not in use.
    public var table: TableCounters?
    /// The counters of the HTTP cache, or `nil` if it is not in use.
    public var httpCache: HTTPCacheCounters?
    /// The counters of prefetching, or `nil` if it is not in use.
    public var prefetch: PrefetchCounters?
    /// The counters of the prefetch table service, or `nil` if the table is not requested from a server.
    public var prefetchTable: PrefetchTableCounters?
    /// The counters of name resolution, or `nil` if it is not in use.
    public var nameResolution: NameCounters?
    /// The counters of remote config, or `nil` if it is not in use.
    public var remoteConfig: RemoteConfigCounters?
    /// The counters of downloads.
    public var downloads = DownloadCounters()
    /// The number of events, reports and timelines that were dropped because a buffer was full.
    public var droppedEvents = 0
    /// The number of the container's own requests that came back in an intercepted session of the app.
    public var returnedRequests = 0
    /// The number of bytes of request bodies that pages have passed through the bridge and that are not sent yet.
    public var bodyBytes = 0
    /// The counters of views: created, checked out, cleaned, destroyed.
    public var pool = PoolCounters()
}

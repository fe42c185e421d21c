// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPCache
public import PageDownloads
public import PagePrefetch
public import Prefetch
public import RemoteConfig
public import ResourceStore
public import ResourceTable
public import WebViewPool

/// What a container has counted since it was opened.
public struct ContainerCounters: Sendable, Hashable {
    /// How many times a packaged file could not be read from the store. Each was answered by the network.
    public var unreadableFiles = 0
    /// Blobs, resources and documents that were damaged and dropped, and what is in memory.
    public var store = StoreCounters()
    /// Of the resource table; `nil` where there is none.
    public var table: TableCounters?
    /// Of the HTTP cache; `nil` where there is none.
    public var httpCache: HTTPCacheCounters?
    /// Of what is fetched ahead of pages; `nil` where nothing is.
    public var prefetch: PrefetchCounters?
    /// Of the table that says what is fetched ahead; `nil` where it is fetched from nowhere.
    public var prefetchTable: PrefetchTableCounters?
    /// Of remote config; `nil` where there is none.
    public var remoteConfig: RemoteConfigCounters?
    /// Of the files that pages save.
    public var downloads = DownloadCounters()
    /// Events that slow subscribers lost, and reports of pages.
    public var droppedEvents = 0
    /// Bytes of bodies that are on their way from pages to their requests.
    public var bodyBytes = 0
    /// Of the views: made, checked out, cleaned, ended.
    public var pool = PoolCounters()
}

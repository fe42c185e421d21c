// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Network

// webkit/wkwebsitedatastore [WKWebsiteDataStore]
@MainActor
public class WKWebsiteDataStore: NSObject {
    /// The contents, which the stores of an identifier share.
    @MainActor
    private final class Contents {
        let cookies = WKHTTPCookieStore()
        var records: [WKWebsiteDataRecord] = []
        var proxies: [ProxyConfiguration] = []
        var ignoresProxies = false
    }
    private static let standard = WKWebsiteDataStore(Contents(), isPersistent: true, nil)
    private static var named: [UUID: Contents] = [:]
    private let contents: Contents

    // webkit/wkwebsitedatastore/default() [WKWebsiteDataStore defaultDataStore]
    public static func `default`() -> WKWebsiteDataStore { standard }
    // webkit/wkwebsitedatastore/nonpersistent() [WKWebsiteDataStore nonPersistentDataStore]
    public static func nonPersistent() -> WKWebsiteDataStore {
        WKWebsiteDataStore(Contents(), isPersistent: false, nil)
    }
    // webkit/wkwebsitedatastore/init(foridentifier:) [WKWebsiteDataStore dataStoreForIdentifier:]
    public convenience init(forIdentifier identifier: UUID) {
        let contents = Self.named[identifier] ?? Contents()
        Self.named[identifier] = contents
        self.init(contents, isPersistent: true, identifier)
    }
    // webkit/wkwebsitedatastore/remove(foridentifier:completionhandler:), async
    // [WKWebsiteDataStore removeDataStoreForIdentifier:completionHandler:]
    //
    // Documented: release the views of the store before. Believed: otherwise the call throws, here a WKError `unknown`.
    // A device shows it by a removal in use.
    public static func remove(forIdentifier identifier: UUID) async throws {
        await Task.yield()
        guard var contents = named.removeValue(forKey: identifier) else { return }
        guard isKnownUniquelyReferenced(&contents) else {
            named[identifier] = contents
            throw WKError(.unknown)
        }
    }

    private init(_ contents: Contents, isPersistent: Bool, _ identifier: UUID?) {
        (self.contents, self.isPersistent, self.identifier) = (contents, isPersistent, identifier)
    }

    // webkit/wkwebsitedatastore/ispersistent [WKWebsiteDataStore isPersistent]
    public let isPersistent: Bool
    // webkit/wkwebsitedatastore/identifier [WKWebsiteDataStore identifier]
    public let identifier: UUID?
    // webkit/wkwebsitedatastore/httpcookiestore [WKWebsiteDataStore httpCookieStore]
    public var httpCookieStore: WKHTTPCookieStore { contents.cookies }
    // webkit/wkwebsitedatastore/proxyconfigurations-cdc1 [WKWebsiteDataStore proxyConfigurations]
    public var proxyConfigurations: [ProxyConfiguration] {
        get { contents.proxies }
        set { contents.proxies = newValue }
    }
    /// A Boolean value that indicates whether connections are direct although there is a proxy, as reported of stores.
    @_spi(Driver) public var ignoresProxies: Bool {
        get { contents.ignoresProxies }
        set { contents.ignoresProxies = newValue }
    }

    // webkit/wkwebsitedatastore/allwebsitedatatypes() [WKWebsiteDataStore allWebsiteDataTypes]
    public static func allWebsiteDataTypes() -> Set<String> {
        [
            WKWebsiteDataTypeCookies, WKWebsiteDataTypeDiskCache, WKWebsiteDataTypeFetchCache,
            WKWebsiteDataTypeMemoryCache, WKWebsiteDataTypeServiceWorkerRegistrations,
        ]
    }
    // webkit/wkwebsitedatastore/fetchdatarecords(oftypes:completionhandler:), async
    // [WKWebsiteDataStore fetchDataRecordsOfTypes:completionHandler:]
    public func dataRecords(ofTypes dataTypes: Set<String>) async -> [WKWebsiteDataRecord] {
        await respond()
        return contents.records.filter { !$0.dataTypes.isDisjoint(with: dataTypes) }
    }
    // webkit/wkwebsitedatastore/removedata(oftypes:for:completionhandler:), async
    // [WKWebsiteDataStore removeDataOfTypes:forDataRecords:completionHandler:]
    public func removeData(ofTypes dataTypes: Set<String>, for dataRecords: [WKWebsiteDataRecord]) async {
        await respond()
        remove(dataTypes) { record in dataRecords.contains { $0.displayName == record.displayName } }
    }
    // webkit/wkwebsitedatastore/removedata(oftypes:modifiedsince:completionhandler:), async
    // [WKWebsiteDataStore removeDataOfTypes:modifiedSince:completionHandler:]
    public func removeData(ofTypes dataTypes: Set<String>, modifiedSince date: Date) async {
        await respond()
        remove(dataTypes) { $0.modified >= date }
        if dataTypes.contains(WKWebsiteDataTypeCookies) { contents.cookies.removeAll() }
    }

    /// A closure that runs before the network process responds to a call. A test holds the response with it.
    @_spi(Driver) public var beforeResponse: (@MainActor () async -> Void)?

    private func respond() async {
        await Task.yield()
        await beforeResponse?()
    }

    private func remove(_ types: Set<String>, _ isChosen: (WKWebsiteDataRecord) -> Bool) {
        contents.records = contents.records.compactMap { record in
            guard isChosen(record) else { return record }
            let left = record.dataTypes.subtracting(types)
            return left.isEmpty ? nil : WKWebsiteDataRecord(record.displayName, left, modified: record.modified)
        }
    }

    /// Stores data of a site.
    @_spi(Driver) public func receive(_ types: Set<String>, of site: String, modified: Date = Date()) {
        contents.records.append(WKWebsiteDataRecord(site, types, modified: modified))
    }
}

// webkit/wkwebsitedatarecord [WKWebsiteDataRecord]
@MainActor
public class WKWebsiteDataRecord: NSObject {
    // webkit/wkwebsitedatarecord/displayname [WKWebsiteDataRecord displayName]
    public let displayName: String
    // webkit/wkwebsitedatarecord/datatypes [WKWebsiteDataRecord dataTypes]
    public let dataTypes: Set<String>
    let modified: Date

    init(_ name: String, _ types: Set<String>, modified: Date) {
        (displayName, dataTypes, self.modified) = (name, types, modified)
    }
}

// webkit/wkwebsitedatatypecookies [WKWebsiteDataTypeCookies]
public let WKWebsiteDataTypeCookies = "WKWebsiteDataTypeCookies"
// webkit/wkwebsitedatatypediskcache [WKWebsiteDataTypeDiskCache]
public let WKWebsiteDataTypeDiskCache = "WKWebsiteDataTypeDiskCache"
// webkit/wkwebsitedatatypefetchcache [WKWebsiteDataTypeFetchCache]
public let WKWebsiteDataTypeFetchCache = "WKWebsiteDataTypeFetchCache"
// webkit/wkwebsitedatatypememorycache [WKWebsiteDataTypeMemoryCache]
public let WKWebsiteDataTypeMemoryCache = "WKWebsiteDataTypeMemoryCache"
// webkit/wkwebsitedatatypeserviceworkerregistrations [WKWebsiteDataTypeServiceWorkerRegistrations]
public let WKWebsiteDataTypeServiceWorkerRegistrations = "WKWebsiteDataTypeServiceWorkerRegistrations"

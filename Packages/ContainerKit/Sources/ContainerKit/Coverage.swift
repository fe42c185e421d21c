// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import OfflinePackage
internal import ResourceLoading
internal import ResourceTable
internal import SchemeRouter

/// Which pages are intercepted: those of the hosts that the app names, and those that a package has, installed or on
/// its way, or a preview, and what a resource table lists.
struct Coverage: Sendable {
    let hosts: [HostPattern]
    let library: PackageLibrary
    let updater: PackageUpdater
    let table: TableLibrary?
    let previews: PreviewList

    /// Whether a real URL is one of them.
    func contains(_ url: String) -> Bool {
        guard let request = HTTPRequest(urlText: url), let authority = request.authority else { return false }
        let defaultPort = request.scheme == "http" ? 80 : 443
        return hosts.contains { $0.matches(authority, defaultPort: defaultPort) } || library.covers(url)
            || updater.covers(url) || previews.covers(url)
            || table?.entry(answering: url) != nil
    }
}

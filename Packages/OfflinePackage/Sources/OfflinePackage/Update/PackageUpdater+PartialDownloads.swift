// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import PackageFormat

extension PackageUpdater {
    /// Whether a URL lies under the base URL of a package whose first download is under way and that can answer
    /// meanwhile. Synchronous; any isolation.
    public nonisolated func covers(_ url: String) -> Bool {
        PackageURL(url).map { !arrivals.candidates(for: $0).isEmpty } ?? false
    }

    /// Whether such a package is for the origin of a request, whose path does not count. Synchronous; any isolation.
    public nonisolated func serves(originOf request: HTTPRequest) -> Bool {
        PackageURL(request).map { arrivals.serve($0.origin) } ?? false
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
@_spi(Packaging) internal import PackageFormat

/// The mounted previews. If several cover a URL, the most recently mounted one decides.
///
/// Isolation: any.
public final class PreviewList: Sendable {
    private let previews = Mutex<[Preview]>([])

    /// Creates an empty list.
    public init() {}

    /// The mounted previews, newest first.
    public var mounted: [Preview] {
        previews.withLock { $0 }
    }

    /// Mounts a preview and replaces the one with the same base URL.
    public func mount(_ preview: Preview) {
        previews.withLock { previews in
            previews.removeAll { $0.baseURL == preview.baseURL }
            previews.insert(preview, at: 0)
        }
    }

    /// Unmounts a preview.
    /// - Returns: `true` if it was mounted.
    @discardableResult
    public func unmount(_ preview: Preview) -> Bool {
        previews.withLock { previews in
            let count = previews.count
            previews.removeAll { $0 == preview }
            return previews.count < count
        }
    }

    /// Returns a Boolean value that indicates whether a real URL lies below the base URL of a preview.
    ///
    /// The URL is evaluated only if a preview is mounted.
    public func covers(_ url: @autoclosure () -> String) -> Bool {
        let mounted = mounted
        guard !mounted.isEmpty, let url = PackageURL(url()) else { return false }
        return mounted.contains { $0.covers(url) }
    }
}

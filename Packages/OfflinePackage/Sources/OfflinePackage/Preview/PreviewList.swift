// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import PackageFormat

/// The previews that are mounted now. Of several that cover a URL the one that was mounted last decides.
///
/// Isolation: any.
public final class PreviewList: Sendable {
    private let previews = Mutex<[Preview]>([])

    public init() {}

    /// Newest first.
    public var mounted: [Preview] {
        previews.withLock { $0 }
    }

    /// Mounts a preview in place of the one that had its base URL.
    public func mount(_ preview: Preview) {
        previews.withLock { previews in
            previews.removeAll { $0.baseURL == preview.baseURL }
            previews.insert(preview, at: 0)
        }
    }

    /// - Returns: whether it was mounted.
    @discardableResult
    public func unmount(_ preview: Preview) -> Bool {
        previews.withLock { previews in
            let count = previews.count
            previews.removeAll { $0 == preview }
            return previews.count < count
        }
    }

    /// Returns `true` if a real URL lies under the base URL of a preview. The URL is read only if one is mounted.
    public func covers(_ url: @autoclosure () -> String) -> Bool {
        let mounted = mounted
        guard !mounted.isEmpty, let url = PackageURL(url()) else { return false }
        return mounted.contains { $0.covers(url) }
    }
}

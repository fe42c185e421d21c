// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

extension PageSnapshot {
    /// Whether all pixels are the same; `nil` where there are not two. It compares megabytes: off the caller's thread.
    @concurrent
    nonisolated func isUniform() async -> Bool? {
        let size = 4
        return pixels.count <= size ? nil : pixels.dropFirst(size) == pixels.dropLast(size)
    }
}

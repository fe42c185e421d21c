// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension PageSnapshot {
    /// Whether all pixels are the same. It compares megabytes: off the caller's thread.
    @concurrent
    nonisolated func isUniform() async -> Bool {
        let size = 4
        return pixels.count <= size || pixels.dropFirst(size) == pixels.dropLast(size)
    }
}

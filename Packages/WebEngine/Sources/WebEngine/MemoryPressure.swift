// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How much memory a pool is to give back.
public enum MemoryPressure: Sendable, Hashable, CaseIterable {
    /// Half of the views that are warm and free, rounded up; those go first that serve only one key.
    case warning
    /// All that nobody has, also what is being prepared or cleaned; and from then on only the fewest are kept.
    case critical
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a loader can say of a request at once.
public enum ImmediateResult: Sendable {
    /// What `load` would return: the answer, or `nil` for "not mine".
    case known(ResourceResponse?)
    /// `load` has to be asked, which may wait, or fail.
    case later
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A moment among the changes that a reconciler hears. Taken when a request begins, it keeps the answer's cookies from coming
/// back after a clearing in between.
public struct CookieMoment: Sendable, Hashable {
    let version: UInt64
}

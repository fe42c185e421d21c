// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What pages must have in common to have one view after the other.
///
/// A view that was checked out serves only its own key again. One that was never checked out has seen nothing, and
/// serves each key of its ``kind``.
public protocol PoolKey: Hashable, Sendable {
    /// What a view is made with, and cannot be changed later: its data store, for one.
    associatedtype Kind: Hashable, Sendable

    /// What views for this key are made with.
    var kind: Kind { get }
}

/// The key of a pool whose views are all alike, and serve everyone.
public struct SoleKey: PoolKey {
    /// Nothing tells these views apart.
    public var kind: SoleKey { self }

    /// Makes the key.
    public init() {}
}

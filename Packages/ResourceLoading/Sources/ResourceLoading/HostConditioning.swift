// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Tells the conditions of the device. The host implements it; ``FavourableConditions`` is the default.
///
/// Isolation: any; all of it may be called concurrently.
public protocol HostConditioning: Sendable {
    /// The conditions now. Cheap: it is asked before each transfer.
    var conditions: HostConditions { get }

    /// The conditions as they change, from now on. May leave out what was overtaken; ends with the host.
    func changes() -> AsyncStream<HostConditions>
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A direction through a relay.
enum RelayDirection {
    /// To the client.
    case down
    /// To the target.
    case up

    var opposite: RelayDirection { self == .down ? .up : .down }
}

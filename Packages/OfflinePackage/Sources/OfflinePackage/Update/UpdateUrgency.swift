// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

/// How much an update may ask of the device.
public enum UpdateUrgency: Sendable, Hashable, CaseIterable {
    /// Someone waits for it: any network will do.
    case wanted
    /// Only when the app is idle, the network costs nothing and the battery is not low.
    case whenConvenient

    /// Why it cannot be done now; `nil` where it can.
    func obstacle(in conditions: HostConditions) -> String? {
        if conditions.network == .none { return "there is no network" }
        if conditions.memory == .critical { return "the system is short of memory" }
        guard self == .whenConvenient else { return nil }
        if !conditions.isIdle { return "the app is not idle" }
        if conditions.network == .metered { return "the network is metered" }
        if conditions.power == .low { return "the battery is low" }
        return conditions.memory == .normal ? nil : "memory is short"
    }
}

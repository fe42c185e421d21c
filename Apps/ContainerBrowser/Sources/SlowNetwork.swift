// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import ContainerTesting

/// A network preset that slows the network: neither unshaped nor cut.
struct SlowNetwork: ExpressibleByArgument {
    let profile: NetworkProfile

    init(profile: NetworkProfile) {
        self.profile = profile
    }

    /// Creates a preset from its name, or returns `nil` for an unknown name or a preset that is not slow.
    init?(argument: String) {
        guard let profile = Self.presets.first(where: { $0.name == argument }) else { return nil }
        self.init(profile: profile)
    }

    private static var presets: [NetworkProfile] {
        NetworkProfile.presets.filter { !$0.isUnshaped && !$0.isOffline }
    }

    static var allValueStrings: [String] { presets.map(\.name) }

    var defaultValueDescription: String { profile.name }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import ContainerTesting

/// A preset on which a page's way to open makes a difference: neither unshaped nor cut.
struct SlowNetwork: ExpressibleByArgument {
    let profile: NetworkProfile

    init(profile: NetworkProfile) {
        self.profile = profile
    }

    /// `nil` for a name of no preset, and of one that is not slow.
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

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A simulated network: the round-trip time and the data rates.
///
/// The presets have the numbers of common tools, so that results are comparable:
///
/// | name | round trip | down | up | the same numbers in |
/// | --- | --- | --- | --- | --- |
/// | `none` | 0 | unlimited | unlimited | – |
/// | `4g` | 170 ms | 9 Mbit/s | 9 Mbit/s | WebPageTest's "4G" |
/// | `slow-4g` | 150 ms | 1.6 Mbit/s | 750 kbit/s | Lighthouse's default (`mobileSlow4G`), once called "Fast 3G" |
/// | `3g` | 400 ms | 400 kbit/s | 400 kbit/s | WebPageTest's "3G Slow" |
/// | `offline` | – | nothing | nothing | – |
public struct NetworkProfile: Sendable, Hashable {
    /// The preset's name, or `custom`.
    public let name: String
    /// The time from sending a byte to the first byte of the response on an idle network. Each direction takes half of
    /// the time.
    public let roundTrip: Duration
    /// The rate to the client in 1,000 bits per second, shared by all connections; `nil` for unlimited.
    public let downKilobits: Int?
    /// The rate from the client in 1,000 bits per second, shared by all connections; `nil` for unlimited.
    public let upKilobits: Int?
    /// A Boolean value that indicates whether no data passes.
    public let isOffline: Bool

    private init(trusted name: String, roundTrip: Duration, down: Int?, up: Int?, isOffline: Bool = false) {
        self.name = name
        self.roundTrip = roundTrip
        self.downKilobits = down
        self.upKilobits = up
        self.isOffline = isOffline
    }

    /// Creates a custom profile.
    /// - Parameters:
    ///   - name: The name of the profile; `custom` by default.
    ///   - roundTrip: The round-trip time, from zero to 60 seconds; zero by default.
    ///   - downKilobits: The rate to the client, from 1 to 10,000,000 (10 Gbit/s), or `nil`, the default, for
    ///     unlimited.
    ///   - upKilobits: The rate from the client, with the same limits.
    /// - Throws: ``ContainerTestingError`` with code `invalidProfile` for
    ///   numbers out of range.
    public init(
        name: String = "custom", roundTrip: Duration = .zero, downKilobits: Int? = nil, upKilobits: Int? = nil
    ) throws(ContainerTestingError) {
        guard (.zero)...(.seconds(60)) ~= roundTrip else {
            throw ContainerTestingError(
                .invalidProfile, "a round trip takes 0 to 60,000 ms", at: "\(Int(roundTrip / .milliseconds(1))) ms")
        }
        for rate in [downKilobits, upKilobits] {
            guard let rate else { continue }
            guard 1...10_000_000 ~= rate else {
                throw ContainerTestingError(
                    .invalidProfile, "a rate is 1 to 10,000,000 kbit/s", at: "\(rate) kbit/s")
            }
        }
        self.init(trusted: name, roundTrip: roundTrip, down: downKilobits, up: upKilobits)
    }

    /// Returns the preset with a name of the command line, or `nil` for any other name.
    public init?(named name: String) {
        guard let preset = Self.presets.first(where: { $0.name == name }) else { return nil }
        self = preset
    }

    /// No limits: the speed of the machine.
    public static let none = NetworkProfile(trusted: "none", roundTrip: .zero, down: nil, up: nil)
    /// A round trip of 170 ms, and 9 Mbit/s in both directions.
    public static let fourG = NetworkProfile(trusted: "4g", roundTrip: .milliseconds(170), down: 9_000, up: 9_000)
    /// A round trip of 150 ms, 1.6 Mbit/s down and 750 kbit/s up.
    public static let slowFourG = NetworkProfile(
        trusted: "slow-4g", roundTrip: .milliseconds(150), down: 1_600, up: 750)
    /// A round trip of 400 ms, and 400 kbit/s in both directions.
    public static let threeG = NetworkProfile(trusted: "3g", roundTrip: .milliseconds(400), down: 400, up: 400)
    /// No network: connections are reset immediately.
    public static let offline = NetworkProfile(
        trusted: "offline", roundTrip: .zero, down: nil, up: nil, isOffline: true)

    /// All presets.
    public static let presets: [NetworkProfile] = [.none, .fourG, .slowFourG, .threeG, .offline]

    /// A Boolean value that indicates whether the profile does not limit the network.
    public var isUnshaped: Bool {
        !isOffline && roundTrip == .zero && downKilobits == nil && upKilobits == nil
    }
}

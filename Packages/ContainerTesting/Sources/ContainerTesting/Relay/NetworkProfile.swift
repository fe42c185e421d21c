// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A network as a page feels it: how long a round trip takes and how many bits pass in a second.
///
/// The presets carry the numbers that the field's tools use, so that results can be compared:
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
    /// From a byte sent to the answer's first byte, with nothing in the way. Each direction takes half of it.
    public let roundTrip: Duration
    /// 1,000 bits per second towards the client, shared by all connections; `nil` is unlimited.
    public let downKilobits: Int?
    /// 1,000 bits per second from the client, shared by all connections; `nil` is unlimited.
    public let upKilobits: Int?
    /// Nothing passes.
    public let isOffline: Bool

    private init(trusted name: String, roundTrip: Duration, down: Int?, up: Int?, isOffline: Bool = false) {
        self.name = name
        self.roundTrip = roundTrip
        self.downKilobits = down
        self.upKilobits = up
        self.isOffline = isOffline
    }

    /// Makes a network of one's own.
    /// - Parameters:
    ///   - name: the name of the profile. `custom` by default.
    ///   - roundTrip: zero to 60 seconds. Zero by default.
    ///   - downKilobits: 1 to 10,000,000 (10 Gbit/s), or `nil` for unlimited, which is the default.
    ///   - upKilobits: the same for the other direction.
    /// - Throws: code `invalidProfile` for numbers out of range.
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

    /// Finds a preset by its name on the command line; `nil` for any other name.
    public init?(named name: String) {
        guard let preset = Self.presets.first(where: { $0.name == name }) else { return nil }
        self = preset
    }

    /// As fast as the machine is.
    public static let none = NetworkProfile(trusted: "none", roundTrip: .zero, down: nil, up: nil)
    /// 170 ms, 9 Mbit/s in both directions.
    public static let fourG = NetworkProfile(trusted: "4g", roundTrip: .milliseconds(170), down: 9_000, up: 9_000)
    /// 150 ms, 1.6 Mbit/s down, 750 kbit/s up.
    public static let slowFourG = NetworkProfile(
        trusted: "slow-4g", roundTrip: .milliseconds(150), down: 1_600, up: 750)
    /// 400 ms, 400 kbit/s in both directions.
    public static let threeG = NetworkProfile(trusted: "3g", roundTrip: .milliseconds(400), down: 400, up: 400)
    /// Connections are refused at once.
    public static let offline = NetworkProfile(
        trusted: "offline", roundTrip: .zero, down: nil, up: nil, isOffline: true)

    /// Every preset.
    public static let presets: [NetworkProfile] = [.none, .fourG, .slowFourG, .threeG, .offline]

    /// Whether bytes pass as if no link were there.
    public var isUnshaped: Bool {
        !isOffline && roundTrip == .zero && downKilobits == nil && upKilobits == nil
    }
}

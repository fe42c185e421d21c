// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a path pattern says, as a tree. Every node but ``nothing`` takes at least one byte somewhere in it.
indirect enum PathSyntax: Hashable {
    /// The empty text.
    case nothing
    case one(ByteSet)
    case sequence([PathSyntax])
    case choice([PathSyntax])
    /// At least `min` times, at most `max` times; any number where that is `nil`.
    case repetition(PathSyntax, min: Int, max: Int?)

    /// Parts one after the other, without those that say nothing.
    static func joined(_ parts: [PathSyntax]) -> PathSyntax {
        let parts = parts.filter { $0 != .nothing }
        return parts.count > 1 ? .sequence(parts) : parts.first ?? .nothing
    }

    /// A part again and again; nothing where it says nothing, so that no repetition is without end and without bytes.
    static func repeated(_ part: PathSyntax, min: Int, max: Int?) -> PathSyntax {
        part == .nothing || max == 0 ? .nothing : .repetition(part, min: min, max: max)
    }

    /// Any bytes, a slash among them or not.
    static func run(of set: ByteSet) -> PathSyntax {
        .repetition(.one(set), min: 0, max: nil)
    }
}

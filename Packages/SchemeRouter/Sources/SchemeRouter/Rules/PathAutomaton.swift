// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A matcher that processes each byte once, without backtracking.
///
/// It follows all alternatives of the pattern at the same time (V. M. Glushkov, "The abstract theory of automata",
/// 1961). A position is a character or a set in the pattern; each copy of a repeated part has its own positions.
struct PathAutomaton: Sendable {
    /// The maximum number of positions, one bit each.
    static let maxPositions = 128

    /// The class of each byte. Bytes that all positions treat equally have the same class.
    private let classes: [UInt8]
    /// The positions that accept a byte, by byte class.
    private let matchers: [UInt128]
    /// The positions that can follow each position.
    private let follow: [UInt128]
    private let first: UInt128
    private let last: UInt128
    private let matchesEmpty: Bool

    /// The number of positions.
    var positions: Int { follow.count }

    /// Creates a matcher for a pattern.
    /// - Throws: ``RouteError`` with code `limit`.
    init(_ syntax: PathSyntax) throws {
        var builder = Builder()
        let whole = try builder.add(syntax)
        first = whole.first
        last = whole.last
        matchesEmpty = whole.matchesEmpty
        follow = builder.follow
        var masks = [UInt128](repeating: 0, count: 256)
        for (position, set) in builder.sets.enumerated() {
            set.forEach { masks[Int($0)] |= 1 << position }
        }
        var classes = [UInt8](repeating: 0, count: 256)
        // The first class contains the bytes that no position accepts, which are most bytes.
        var matchers: [UInt128] = [0]
        for (byte, mask) in masks.enumerated() where mask != 0 {
            let known = matchers.firstIndex(of: mask)
            if known == nil { matchers.append(mask) }
            classes[byte] = UInt8(known ?? matchers.count - 1)
        }
        self.classes = classes
        self.matchers = matchers
    }

    func matches(_ bytes: ArraySlice<UInt8>) -> Bool {
        var active = first
        var current: UInt128 = 0
        for byte in bytes {
            current = active & matchers[Int(classes[Int(byte)])]
            if current == 0 { return false }
            active = 0
            var left = current
            while left != 0 {
                active |= follow[left.trailingZeroBitCount]
                left &= left &- 1
            }
        }
        return bytes.isEmpty ? matchesEmpty : current & last != 0
    }

    /// The possible first and last positions of a part of the pattern.
    private struct Part {
        var first: UInt128 = 0
        var last: UInt128 = 0
        var matchesEmpty = true
    }

    private struct Builder {
        var sets: [ByteSet] = []
        var follow: [UInt128] = []

        mutating func add(_ syntax: PathSyntax) throws -> Part {
            switch syntax {
            case .nothing:
                return Part()
            case .one(let set):
                guard sets.count < PathAutomaton.maxPositions else {
                    throw RouteError(
                        .limit,
                        "the pattern has more than \(PathAutomaton.maxPositions) positions after its literal prefix")
                }
                let bit: UInt128 = 1 << sets.count
                sets.append(set)
                follow.append(0)
                return Part(first: bit, last: bit, matchesEmpty: false)
            case .sequence(let parts):
                var whole = Part()
                for part in parts { whole = join(whole, try add(part)) }
                return whole
            case .choice(let options):
                var whole = Part(matchesEmpty: false)
                for option in options {
                    let part = try add(option)
                    whole.first |= part.first
                    whole.last |= part.last
                    whole.matchesEmpty = whole.matchesEmpty || part.matchesEmpty
                }
                return whole
            case .repetition(let part, let min, let max):
                return try addCopies(of: part, min: min, max: max)
            }
        }

        /// Adds copies of a part, each with its own positions. The last copy of an unbounded repetition links to
        /// itself.
        private mutating func addCopies(of syntax: PathSyntax, min: Int, max: Int?) throws -> Part {
            var whole = Part()
            let copies = max ?? Swift.max(min, 1)
            for copy in 0..<copies {
                var part = try add(syntax)
                if max == nil, copy == copies - 1 { link(part.last, to: part.first) }
                if copy >= min { part.matchesEmpty = true }
                whole = join(whole, part)
            }
            return whole
        }

        private mutating func join(_ left: Part, _ right: Part) -> Part {
            link(left.last, to: right.first)
            return Part(
                first: left.first | (left.matchesEmpty ? right.first : 0),
                last: right.last | (right.matchesEmpty ? left.last : 0),
                matchesEmpty: left.matchesEmpty && right.matchesEmpty)
        }

        private mutating func link(_ ends: UInt128, to beginnings: UInt128) {
            var left = ends
            while left != 0 {
                follow[left.trailingZeroBitCount] |= beginnings
                left &= left &- 1
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A matcher that processes each byte once, without backtracking.
///
/// It follows all alternatives of the pattern at the same time (V. M. Glushkov, "The abstract theory of automata",
/// 1961). A position is a character or a set in the pattern; each copy of a repeated part has its own positions.
struct PathAutomaton: Sendable {
    /// The maximum number of positions, one bit of a ``PositionSet`` each.
    static let maxPositions = 128

    /// The class of each byte. Bytes that all positions treat equally have the same class.
    private let classes: [UInt8]
    /// The positions that accept a byte, by byte class.
    private let matchers: [PositionSet]
    /// The positions that can follow each position.
    private let follow: [PositionSet]
    private let first: PositionSet
    private let last: PositionSet
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
        var masks = [PositionSet](repeating: PositionSet(), count: 256)
        for (position, set) in builder.sets.enumerated() {
            set.forEach { masks[Int($0)].insert(position) }
        }
        var classes = [UInt8](repeating: 0, count: 256)
        // The first class contains the bytes that no position accepts, which are most bytes.
        var matchers = [PositionSet()]
        for (byte, mask) in masks.enumerated() where !mask.isEmpty {
            let known = matchers.firstIndex(of: mask)
            if known == nil { matchers.append(mask) }
            classes[byte] = UInt8(known ?? matchers.count - 1)
        }
        self.classes = classes
        self.matchers = matchers
    }

    func matches(_ bytes: ArraySlice<UInt8>) -> Bool {
        var active = first
        var current = PositionSet()
        for byte in bytes {
            current = active.intersection(matchers[Int(classes[Int(byte)])])
            if current.isEmpty { return false }
            active = PositionSet()
            var left = current
            while let position = left.popFirst() { active.formUnion(follow[position]) }
        }
        return bytes.isEmpty ? matchesEmpty : !current.isDisjoint(with: last)
    }

    /// The possible first and last positions of a part of the pattern.
    private struct Part {
        var first = PositionSet()
        var last = PositionSet()
        var matchesEmpty = true
    }

    private struct Builder {
        var sets: [ByteSet] = []
        var follow: [PositionSet] = []

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
                var position = PositionSet()
                position.insert(sets.count)
                sets.append(set)
                follow.append(PositionSet())
                return Part(first: position, last: position, matchesEmpty: false)
            case .sequence(let parts):
                var whole = Part()
                for part in parts { whole = join(whole, try add(part)) }
                return whole
            case .choice(let options):
                var whole = Part(matchesEmpty: false)
                for option in options {
                    let part = try add(option)
                    whole.first.formUnion(part.first)
                    whole.last.formUnion(part.last)
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
            var whole = Part(
                first: left.first, last: right.last, matchesEmpty: left.matchesEmpty && right.matchesEmpty)
            if left.matchesEmpty { whole.first.formUnion(right.first) }
            if right.matchesEmpty { whole.last.formUnion(left.last) }
            return whole
        }

        private mutating func link(_ ends: PositionSet, to beginnings: PositionSet) {
            var left = ends
            while let position = left.popFirst() { follow[position].formUnion(beginnings) }
        }
    }
}

/// A set of positions below 128. `UInt128` needs iOS 18 and macOS 15.
private struct PositionSet: Sendable, Hashable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    var isEmpty: Bool { low | high == 0 }

    mutating func insert(_ position: Int) {
        if position < 64 { low |= 1 << position } else { high |= 1 << (position - 64) }
    }

    mutating func formUnion(_ other: PositionSet) {
        low |= other.low
        high |= other.high
    }

    func intersection(_ other: PositionSet) -> PositionSet {
        var both = self
        both.low &= other.low
        both.high &= other.high
        return both
    }

    func isDisjoint(with other: PositionSet) -> Bool { low & other.low | high & other.high == 0 }

    /// Removes and returns the lowest position, or returns `nil` if the set is empty.
    mutating func popFirst() -> Int? {
        if low != 0 {
            defer { low &= low &- 1 }
            return low.trailingZeroBitCount
        }
        guard high != 0 else { return nil }
        defer { high &= high &- 1 }
        return high.trailingZeroBitCount + 64
    }
}

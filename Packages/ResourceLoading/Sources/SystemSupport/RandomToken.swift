// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Unpredictable random text.
public enum RandomToken {
    /// Returns lowercase hexadecimal digits from the system's random number generator, two per byte.
    /// - Parameter byteCount: the number of random bytes, a multiple of 8.
    public static func hex(byteCount: Int) -> String {
        precondition(byteCount > 0 && byteCount.isMultiple(of: 8), "the byte count is not a positive multiple of 8")
        var generator = SystemRandomNumberGenerator()
        return String(unsafeUninitializedCapacity: 2 * byteCount) { digits in
            for start in stride(from: 0, to: 2 * byteCount, by: 16) {
                var word: UInt64 = generator.next()
                for index in start..<start + 16 {
                    let value = UInt8(truncatingIfNeeded: word & 0xf)
                    digits[index] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
                    word >>= 4
                }
            }
            return 2 * byteCount
        }
    }

    /// Returns a Boolean value that indicates whether two sequences of bytes are equal.
    ///
    /// For sequences of the same length, the duration does not depend on the position of the first difference. An
    /// attacker therefore cannot guess a secret digit by digit.
    @inlinable
    public static func isEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(left, right) { difference |= one ^ other }
        return difference == 0
    }
}

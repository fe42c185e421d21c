// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What only this launch's engine is told.
enum LaunchSecret {
    /// 256 bits of the system's randomness, as 64 hexadecimal digits.
    static func make() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(random.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Takes as long wherever the first difference is.
    static func isSame(_ given: some Collection<UInt8>, _ expected: some Collection<UInt8>) -> Bool {
        given.count == expected.count && zip(given, expected).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SeededGeneratorTests {
    @Test(
        arguments: [
            (
                1_234_567,
                [
                    6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                    4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
                ]
            ),
            (0, [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]),
        ] as [(UInt64, [UInt64])])
    func `The numbers are those of SplitMix64`(seed: UInt64, numbers: [UInt64]) {
        var generator = SeededGenerator(seed: seed)
        for number in numbers {
            let next = generator.next()
            #expect(next == number)
        }
    }
}

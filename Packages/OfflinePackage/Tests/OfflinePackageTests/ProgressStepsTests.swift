// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import OfflinePackage

@Suite("Progress of a download", .timeLimit(.minutes(1)))
struct ProgressStepsTests {
    private func reported(of bytes: Int64, by piece: Int64, total: Int64?) -> [Int64] {
        let steps = ProgressSteps()
        return stride(from: 0, through: bytes, by: Int(piece)).map { Int64($0) }
            .filter { steps.shouldReport(PackageDownloadProgress(received: $0, total: total)) }
    }

    @Test("A hundred steps are reported if the size is known, including the first and the last")
    func knownSize() {
        let reported = reported(of: 50 << 20, by: 16_384, total: 50 << 20)
        #expect(reported.first == 0 && reported.last == 50 << 20)
        #expect((90...102).contains(reported.count))
    }

    @Test("One step for each MiB is reported if the size is not known, and few for a small download")
    func otherSizes() {
        #expect(reported(of: 10 << 20, by: 16_384, total: nil).count == 11)
        #expect(reported(of: 100_000, by: 1_000, total: 100_000) == [0, 66_000, 100_000])
    }

    @Test("A decrease is reported, and later steps continue from it")
    func beginningAnew() {
        let steps = ProgressSteps()
        #expect(steps.shouldReport(PackageDownloadProgress(received: 900_000, total: 1_000_000)))
        #expect(steps.shouldReport(PackageDownloadProgress(received: 0, total: 1_000_000)))
        #expect(!steps.shouldReport(PackageDownloadProgress(received: 1_000, total: 1_000_000)))
        #expect(steps.shouldReport(PackageDownloadProgress(received: 70_000, total: 1_000_000)))
    }
}

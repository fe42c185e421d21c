// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import PackageFormat

/// How much an archive may ask for.
struct LimitOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The most bytes that all files may unpack to. Default: 1073741824.", valueName: "n"))
    var maxBytes: Int64?

    @Option(help: ArgumentHelp("The most entries, folders included. Default: 100000.", valueName: "n"))
    var maxEntries: Int?

    @Option(
        help: ArgumentHelp(
            "The most bytes that one packed byte may unpack to. Default: 200, for more than 1 MiB; when given, for any size.",
            valueName: "n"))
    var maxRatio: Int?

    func validate() throws {
        guard maxBytes ?? 0 >= 0, maxEntries ?? 0 >= 0 else { throw ValidationError("A limit is not negative.") }
        guard maxRatio ?? 1 >= 1 else { throw ValidationError("--max-ratio is at least 1.") }
    }

    var limits: ArchiveLimits {
        var limits = ArchiveLimits.default
        if let maxBytes { limits.maxTotalBytes = maxBytes }
        if let maxEntries { limits.maxEntries = maxEntries }
        if let maxRatio {
            limits.maxRatio = maxRatio
            limits.ratioFloor = 0
        }
        return limits
    }
}

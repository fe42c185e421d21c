// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import PackageFormat

/// The options that limit the size of an archive.
struct LimitOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The maximum size of all unpacked files in bytes. Default: 1073741824.", valueName: "n"),
        transform: NumberOption.integer("a number of bytes", in: 0...Int.max))
    var maxBytes: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The maximum number of entries, including folders. Default: 100000.", valueName: "n"),
        transform: NumberOption.integer("a number of entries", in: 0...Int.max))
    var maxEntries: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            The maximum compression ratio. Default: 200, for files of more than 1 MiB. A value given here applies to \
            files of any size.
            """, valueName: "n"),
        transform: NumberOption.integer("a ratio", in: 1...Int.max))
    var maxRatio: Int?

    var limits: ArchiveLimits {
        var limits = ArchiveLimits.default
        if let maxBytes { limits.maxTotalBytes = Int64(maxBytes) }
        if let maxEntries { limits.maxEntries = maxEntries }
        if let maxRatio {
            limits.maxRatio = maxRatio
            limits.ratioFloor = 0
        }
        return limits
    }
}

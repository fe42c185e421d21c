// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
@_spi(Packaging) internal import PackageFormat

/// The option that states the encoding of unmarked names of a zip.
struct NameOptions: ParsableArguments {
    private static let known = ZipNameEncoding.allCases.map(\.rawValue).joined(separator: ", ")

    @Option(
        help: ArgumentHelp(
            """
            The encoding of the names of a zip that are neither ASCII nor marked as UTF-8: \(NameOptions.known). \
            Default: such names are refused.
            """, valueName: "encoding"),
        transform: { text in
            guard let encoding = ZipNameEncoding(label: text) else {
                throw ValidationError("not an encoding of names: '\(text)'; known are \(NameOptions.known)")
            }
            return encoding
        })
    var names: ZipNameEncoding?
}

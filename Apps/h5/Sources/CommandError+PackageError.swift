// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import PackageFormat

extension CommandError {
    /// Gives a refusal of the package libraries its exit status.
    init(_ error: PackageError) {
        let status: ExitStatus =
            switch error.code {
            case .noInput: .noInput
            case .io: .io
            default: .badInput
            }
        self.init(status, code: "\(error.code)", error.message, at: error.location)
    }
}

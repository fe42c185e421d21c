// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import PackageFormat

extension CommandError {
    /// Creates a command error with the exit status for a package error.
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

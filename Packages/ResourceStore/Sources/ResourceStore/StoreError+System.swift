// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport

extension StoreError {
    /// Converts an error of the system.
    /// - Parameter path: the path that it is about. Default: that of the error.
    init(_ error: SystemError, at path: String? = nil) {
        self.init(error.isOutOfSpace ? .diskFull : .io, error.description, at: path ?? error.path)
    }
}

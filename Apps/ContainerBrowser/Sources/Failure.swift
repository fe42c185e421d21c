// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import ContainerKit
internal import ContainerTesting
internal import PackageFormat
internal import ResourceLoading
internal import ResourceStore
internal import WebEngine

extension CommandError {
    /// Creates the command error for an error of a library, or returns `nil` for an unknown type.
    init?(library error: any Error) {
        switch error {
        case let error as EngineError:
            let place = error.location ?? (error.code == .noDisplay ? "DISPLAY" : nil)
            self.init(error.code == .script ? .badInput : .unavailable, "\(error.code)", error.message, place)
        case let error as ResourceError:
            self.init(.unavailable, "\(error.code)", error.message, error.location)
        case let error as ContainerError:
            self.init(.usage, "\(error.code)", error.message, error.location)
        case let error as ContainerTestingError:
            self.init(.unavailable, "\(error.code)", error.message, error.location)
        case let error as PackageError:
            let status: ExitStatus = error.code == .noInput ? .noInput : error.code == .io ? .io : .badInput
            self.init(status, "\(error.code)", error.message, error.location)
        case let error as StoreError:
            self.init(error.code == .inUse ? .unavailable : .io, "\(error.code)", error.message, error.location)
        default:
            return nil
        }
    }

    private init(_ status: ExitStatus, _ code: String, _ what: String, _ location: String?) {
        self.init(status, code: code, what, at: location)
    }
}

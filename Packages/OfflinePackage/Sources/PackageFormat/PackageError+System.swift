// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension PackageError {
    /// Converts a system error: `noInput` if the path does not exist, otherwise `io`.
    /// - Parameters:
    ///   - error: the error of a system call.
    ///   - action: the action that failed. Default: the name of the call.
    ///   - location: the path that the error refers to. Default: the path of the error.
    public init(_ error: SystemError, _ action: String? = nil, at location: String? = nil) {
        let (action, location) = (action ?? error.call, location ?? error.path)
        guard error.number != ENOENT else {
            // The message for the call `open` needs no action, because the location is the file.
            self.init(.noInput, action == "open" ? "no such file" : "\(action): no such file or folder", at: location)
            return
        }
        self.init(.io, "\(action): \(error.reason)", at: location)
    }
}

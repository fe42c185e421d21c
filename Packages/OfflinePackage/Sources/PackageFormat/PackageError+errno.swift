// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension PackageError {
    /// An error of the operating system: ``Code-swift.struct/noInput`` for what does not exist, else
    /// ``Code-swift.struct/io``.
    public init(errno number: CInt, _ action: String, at location: String) {
        guard number != ENOENT else {
            // Where something is opened the place says all.
            self.init(.noInput, action == "open" ? "no such file" : "\(action): no such file or folder", at: location)
            return
        }
        self.init(.io, "\(action): \(String(cString: strerror(number)))", at: location)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Calls of the system where their own names are taken by methods.
enum SystemCall {
    /// open(2).
    static func open(_ path: String, _ flags: CInt) -> CInt {
        #if canImport(Glibc)
            Glibc.open(path, flags)
        #elseif canImport(Musl)
            Musl.open(path, flags)
        #else
            Darwin.open(path, flags)
        #endif
    }

    /// write(2).
    static func write(_ descriptor: CInt, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, bytes, count)
        #elseif canImport(Musl)
            Musl.write(descriptor, bytes, count)
        #else
            Darwin.write(descriptor, bytes, count)
        #endif
    }
}

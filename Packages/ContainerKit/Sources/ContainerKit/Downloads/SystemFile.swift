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
enum SystemFile {
    /// open(2); a file that is made is its owner's alone.
    static func open(_ path: String, _ flags: CInt) -> CInt {
        #if canImport(Glibc)
            Glibc.open(path, flags, 0o600)
        #elseif canImport(Musl)
            Musl.open(path, flags, 0o600)
        #else
            Darwin.open(path, flags, 0o600)
        #endif
    }

    /// write(2).
    static func write(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, bytes, count)
        #elseif canImport(Musl)
            Musl.write(descriptor, bytes, count)
        #else
            Darwin.write(descriptor, bytes, count)
        #endif
    }

    static func write(_ descriptor: CInt, _ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }

    /// link(2).
    static func link(_ path: String, _ target: String) -> CInt {
        #if canImport(Glibc)
            Glibc.link(path, target)
        #elseif canImport(Musl)
            Musl.link(path, target)
        #else
            Darwin.link(path, target)
        #endif
    }

    /// rename(2), which takes the place of what is there.
    static func rename(_ path: String, _ target: String) -> CInt {
        #if canImport(Glibc)
            Glibc.rename(path, target)
        #elseif canImport(Musl)
            Musl.rename(path, target)
        #else
            Darwin.rename(path, target)
        #endif
    }

    /// rename(2) that leaves what is there; -1 and `ENOSYS` where the system has none.
    static func renameSparing(_ path: String, _ target: String) -> CInt {
        #if os(Linux)
            if let renameat2 { return renameat2(AT_FDCWD, path, AT_FDCWD, target, 1) }
            errno = ENOSYS
            return -1
        #else
            return renamex_np(path, target, UInt32(RENAME_EXCL))
        #endif
    }

    #if os(Linux)
        /// O_PATH, which Swift does not see: a descriptor of a place, for which it need not be readable.
        static let placeOnly: CInt = 0o10_000_000

        /// Swift does not see it, and older C libraries have none.
        private static let renameat2: RenameAt2? = dlsym(nil, "renameat2").map { unsafeBitCast($0, to: RenameAt2.self) }

        private typealias RenameAt2 =
            @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt
    #endif
}

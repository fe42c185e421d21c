// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Gives the current thread a locale in which libarchive can convert names.
///
/// libarchive converts names through the C locale's character set and has no other setting; in the `C` locale a name
/// outside of ASCII comes back as nothing. The process's locale belongs to the app, so only this thread's is set,
/// and only while `body` runs.
enum UTF8Locale {
    static func during<Result>(_ body: () throws -> Result) throws -> Result {
        // Darwin calls it UTF-8; glibc and musl C.UTF-8.
        let names = ["C.UTF-8", "UTF-8", "en_US.UTF-8"]
        for name in names {
            guard let locale = newlocale(LC_CTYPE_MASK, name, nil) else { continue }
            let previous = uselocale(locale)
            defer {
                _ = uselocale(previous)
                freelocale(locale)
            }
            return try body()
        }
        throw PackageError(.unsupported, "the system has no UTF-8 locale")
    }
}

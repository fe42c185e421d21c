// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if Packaging && os(Linux)
    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #else
        internal import Darwin
    #endif

    /// A thread-local UTF-8 locale for libarchive's conversion of names.
    ///
    /// libarchive converts names with the character set of the C locale and has no other setting. In the `C` locale a
    /// name with characters outside ASCII is lost. The process's locale belongs to the app, so only the locale of the
    /// current thread is set, and only while `body` runs.
    enum UTF8Locale {
        static func during<Result>(_ body: () throws -> Result) throws -> Result {
            // The locale is named UTF-8 on Darwin, and C.UTF-8 in glibc and musl.
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
#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@_spi(Facade) @testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct CacheControlTests {
    @Test("Directive names are case-insensitive, and unknown directives are ignored")
    func directives() {
        let control = CacheControl(["Max-Age=60, PUBLIC, x-unknown=7", "s-maxage=120,immutable, stale-if-error=3"])
        #expect(control.maxAge == 60)
        #expect(control.sharedMaxAge == 120)
        #expect(control.isPublic && control.isImmutable)
        #expect(control.staleIfError == 3)
        #expect(!control.noStore && control.noCache == .none)
    }

    @Test("The content of a quoted string is not a directive")
    func quoted() {
        #expect(CacheControl([#"extension="max-age=3600, no-store", max-age=1"#]).maxAge == 1)
        #expect(!CacheControl([#"extension="max-age=3600, no-store", max-age=1"#]).noStore)
        #expect(CacheControl([#"max-age="60""#]).maxAge == 60)
        #expect(CacheControl([#"ext="a\", no-store", max-age=2"#]) == CacheControl(["max-age=2"]))
    }

    @Test("An unclosed quotation mark hides no directive")
    func unclosed() {
        #expect(CacheControl([#"ext="max-age=60, no-store"#]).noStore)
        #expect(CacheControl([#"ext="\"#]).maxAge == nil)
    }

    @Test(
        "Invalid numbers make a response stale, and numbers that are too large are capped",
        arguments: [
            ("max-age=-1", 0), ("max-age=1.5", 0), ("max-age=1a", 0), ("max-age='60'", 0), ("max-age= 60", 0),
            ("max-age=", 0), ("max-age", 0), ("max-age=007", 7), ("max-age=2147483647", 2_147_483_647),
            ("max-age=99999999999999999999999999999999999999", 1 << 31),
        ])
    func numbers(text: String, seconds: Int) {
        #expect(CacheControl([text]).maxAge == seconds)
    }

    @Test("The first of two equal directives counts")
    func twice() {
        #expect(CacheControl(["max-age=1, max-age=1800"]).maxAge == 1)
        #expect(CacheControl(["max-age=1800", "max-age=1"]).maxAge == 1_800)
    }

    @Test("no-cache and private may name fields; without names they cover the whole response")
    func fields() {
        #expect(CacheControl([#"no-cache="A, b""#, "no-cache=c"]).noCache == .fields(["a", "b", "c"]))
        #expect(CacheControl([#"private="x", private"#]).isPrivate == .all)
        #expect(CacheControl([#"private="""#]).isPrivate == .all)
        #expect(CacheControl(["max-stale"]).maxStale == 1 << 31)
    }
}

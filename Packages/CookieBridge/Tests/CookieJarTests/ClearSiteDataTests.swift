// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Testing

@Suite(.timeLimit(.minutes(3)))
struct ClearSiteDataTests {
    @Test(
        arguments: [
            ([#""cookies""#], .cookies), ([#""cache", "storage""#], [.cache, .storage]), ([#""*""#], .all),
            ([#""cache""#, "\t\"executionContexts\" "], [.cache, .executionContexts]),
            ([#""other","cookies","#], .cookies),
            ([], []), ([""], []), (["cookies"], []), (["*"], []), ([#""Cookies""#], []), ([#"'cookies'"#], []),
            ([#""cookies"#], []),
            ([#"cookies""#], []), ([#""cookies" "cache""#], []), ([#""cookies,cache""#], []),
            ([#""a\"cookies\"""#], []),
        ] as [([String], ClearSiteData)])
    func `Reads words in quotes`(fields: [String], expected: ClearSiteData) {
        #expect(ClearSiteData(fieldValues: fields) == expected)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    import Testing

    @testable import WebKitGTKAdapter

    @Suite("User languages")
    struct UserLanguagesTests {
        @Test(
            "The languages come from the process's locale if the app sets none",
            arguments: [
                (["de_AT.UTF-8", "de_AT", "de.UTF-8", "de", "C"], ["de-AT", "de"]),
                (["sr_RS@latin", "sr@latin", "sr_RS", "sr", "C"], ["sr-RS", "sr"]),
                (["C.UTF-8", "C", "C"], ["en-US"]), (["POSIX"], ["en-US"]), ([], ["en-US"]),
                (["de_AT", "de", "fr", "de", "C"], ["de-AT", "de", "fr"]),
            ])
        func locale(names: [String], tags: [String]) {
            #expect(UserLanguages([], locale: names).tags == tags)
            #expect(UserLanguages(["pt-BR"], locale: names).tags == ["pt-BR"])
        }

        @Test("Invalid tags are not added to the header field")
        func nonsense() {
            let given = ["de\r\nX-A: 1", "", "de,fr", "a b", "ä", String(repeating: "a", count: 65), "zh-Hant-TW"]
            #expect(UserLanguages(given, locale: ["de"]).tags == ["zh-Hant-TW"])
            #expect(UserLanguages(["a,b"], locale: ["de"]).tags == ["de"])
        }

        /// The expected texts are those that a server received from WebKitGTK 2.50.
        @Test("The field has the engine's quality values")
        func field() {
            #expect(UserLanguages(["en-US"]).field == "en-US")
            #expect(
                UserLanguages(["de-AT", "fr-FR", "pt-BR", "en-US", "en"]).field
                    == "de-AT,fr-FR;q=0.90,pt-BR;q=0.80,en-US;q=0.70,en;q=0.60")
            let many = ["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8", "i9", "j10", "k11"]
            #expect(
                UserLanguages(many).field
                    == "a1,b2;q=0.95,c3;q=0.90,d4;q=0.85,e5;q=0.80,f6;q=0.75,g7;q=0.70,h8;q=0.65,i9;q=0.60,j10;q=0.55,k11;q=0.50"
            )
        }
    }
#endif

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import SchemeMode
import Testing

@testable import DocumentInterception

@Suite("DocumentScript")
struct DocumentScriptTests {
    @Test("the script has at most 4,096 bytes without its data")
    func size() {
        #expect(DocumentScriptText.function.utf8.count <= 4_096)
    }

    @Test("the data is JSON after the function; a referrer cannot leave its string")
    func data() {
        let script = DocumentScript.source(
            of: "https://shop.example/#x", held: HeldPaths(files: ["https://shop.example/a.js"]),
            importing: ["https://shop.example/"],
            names: .standard,
            referrer: "https://a.example/\"});alert(1);//")
        #expect(script.hasPrefix(DocumentScriptText.function + "({"))
        #expect(
            script.hasSuffix(
                #"""
                (\#n{"folders":[],"hashes":{"https://shop.example":"\#(HeldPaths(files: ["https://shop.example/a.js"]).hashes.values.first ?? "")"},\#
                "imports":{"https://shop.example/":"containerkit://shop.example/"},"page":"https://shop.example/",\#
                "referrer":"https://a.example/\"});alert(1);//",\#
                "schemes":{"http:":"containerkit-http","https:":"containerkit"}});
                """#.replacing("(\n", with: "(")))
    }

    @Test("without packages and a referrer, the data has neither")
    func empty() {
        let script = DocumentScript.source(
            of: "https://shop.example/", held: HeldPaths(files: []), importing: [], names: .standard, referrer: nil)
        #expect(
            script.hasSuffix(
                #"({"folders":[],"hashes":{},"page":"https://shop.example/","schemes":{"http:":"containerkit-http","https:":"containerkit"}});"#
            ))
    }
}

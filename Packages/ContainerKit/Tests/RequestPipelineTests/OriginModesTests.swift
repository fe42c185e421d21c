// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import ResourceLoading
import Testing
import WebEngine

@testable import RequestPipeline

@Suite("Stored modes of origins")
struct OriginModesTests {
    @Test("A stored document is used as a whole or not at all, and never exceeds the limit")
    func documents() throws {
        var modes = OriginModes()
        for number in 0..<OriginModes.limit + 10 {
            let origin = WebOrigin(scheme: "https", authority: "a\(number).example")
            let isNews = (modes.record(.intercepted, of: origin), modes.record(.plain, of: origin))
            #expect(isNews == (true, false))
        }
        #expect(modes.all.count == OriginModes.limit)
        #expect(modes[WebOrigin(scheme: "https", authority: "a9.example")] == nil)
        #expect(modes[WebOrigin(scheme: "https", authority: "a10.example")] == .intercepted)
        let data = try modes.data(of: .customScheme)
        #expect(OriginModes(data, of: .customScheme) == modes)
        #expect(OriginModes(data, of: .loopbackServer) == OriginModes(), "the origin of the storage differs")
        for text in ["", "{}", "[]", #"{"mode":"scheme","intercepted":[1],"plain":[]}"#] {
            #expect(OriginModes(Data(text.utf8), of: .customScheme) == OriginModes())
        }
        let odd = #"{"mode":"scheme","intercepted":["nothing","https://b.example"],"plain":["https://b.example"]}"#
        #expect(OriginModes(Data(odd.utf8), of: .customScheme).all == ["https://b.example": .plain])
    }
}

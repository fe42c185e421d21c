// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CookieTests {
    @Test func `A cookie is last used when it was made, unless told otherwise`() {
        let made = Date(timeIntervalSince1970: 5)
        let identity = Cookie.Identity(name: "a", domain: "b.example", isHostOnly: true, path: "/")
        #expect(Cookie(identity, value: "", created: made).lastAccess == made)
    }
}

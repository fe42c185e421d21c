// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPSemantics
import HTTPTypes
import Testing

@Suite("Empty documents")
struct EmptyDocumentTests {
    @Test("A document with a Refresh field, or with status 204 or 205, is intentionally empty")
    func emptyOnPurpose() {
        var head = HTTPResponse(status: .ok)
        #expect(!head.leavesDocumentEmpty)
        #expect(HTTPResponse(status: .noContent).leavesDocumentEmpty)
        #expect(HTTPResponse(status: .resetContent).leavesDocumentEmpty)
        if let name = HTTPField.Name("Refresh") { head.headerFields[name] = "5; url=/next" }
        #expect(head.leavesDocumentEmpty)
    }
}

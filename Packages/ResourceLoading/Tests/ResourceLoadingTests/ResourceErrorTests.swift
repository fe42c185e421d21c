// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ResourceLoading
import Testing

@Suite("Errors", .timeLimit(.minutes(1)))
struct ResourceErrorTests {
    private struct Other: Error {}

    @Test("An error of this type stays as it is, however often it is wrapped")
    func wrapping() {
        let error = ResourceError(.tls, "expired", at: "https://a/", cause: Other())
        let again = ResourceError(ResourceError(error, at: "elsewhere"))
        #expect(again.code == .tls && again.message == "expired" && again.location == "https://a/")
        #expect(again.cause is Other)
    }

    @Test("A cancellation is told apart from a fault")
    func others() {
        #expect(ResourceError(CancellationError()).code == .cancelled)
        let fault = ResourceError(Other(), at: "https://a/")
        #expect(fault.code == .internal && fault.location == "https://a/" && fault.cause is Other)
    }

    @Test("One line: code, what, where")
    func description() {
        #expect("\(ResourceError(.timedOut, "no answer", at: "https://a/"))" == "timed-out: no answer (https://a/)")
        #expect("\(ResourceError(.io, "disk"))" == "io: disk")
    }

    @Test("A page finds its generation of a package")
    func generations() {
        let shop = GenerationReference(package: "shop", number: 3)
        let page = PageReference(
            id: PageID(rawValue: 7), documentURL: "https://a/",
            generations: [GenerationReference(package: "cdn", number: 1), shop])
        #expect(page.generation(of: "shop") == shop)
        #expect(page.generation(of: "other") == nil)
        #expect("\(page.id)" == "page-7")
    }
}

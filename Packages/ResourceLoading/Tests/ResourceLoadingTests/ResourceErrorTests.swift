// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ResourceLoading
import Testing

@Suite("Errors", .timeLimit(.minutes(1)))
struct ResourceErrorTests {
    private struct Other: Error {}

    @Test("A ResourceError stays unchanged when it is wrapped")
    func wrapping() {
        let error = ResourceError(.tls, "expired", at: "https://a/", cause: Other())
        let again = ResourceError(ResourceError(error, at: "elsewhere"))
        #expect(again.code == .tls && again.message == "expired" && again.location == "https://a/")
        #expect(again.cause is Other)
    }

    @Test("A cancellation and other errors have different codes")
    func others() {
        #expect(ResourceError(CancellationError()).code == .cancelled)
        let fault = ResourceError(Other(), at: "https://a/")
        #expect(fault.code == .internal && fault.location == "https://a/" && fault.cause is Other)
    }

    @Test("The description is one line with code, message and location")
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

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) import HTTPCache
import HTTPTypes
import Testing

@Suite("Freshness of responses for the engine")
struct EngineFreshnessTests {
    @Test(
        "An engine that never revalidates gets no-cache, unless the response has it or is fresh for an hour",
        arguments: [
            ([], ["no-cache"]), (["no-cache"], ["no-cache"]), (["no-store"], ["no-store"]),
            (["max-age=600", "no-cache"], ["max-age=600", "no-cache"]), (["No-Cache"], ["No-Cache"]),
            (["no-cache=\"x-field\""], ["no-cache=\"x-field\"", "no-cache"]),
            (["max-age=3600"], ["max-age=3600"]), (["max-age=3599"], ["max-age=3599", "no-cache"]),
        ] as [([String], [String])])
    func limits(said: [String], told: [String]) {
        var response = HTTPResponse(status: .ok)
        response.headerFields[values: .cacheControl] = said
        response.limitFreshness()
        #expect(response.headerFields[values: .cacheControl] == told)
    }

    @Test("The age of a response reduces its freshness")
    func age() {
        var response = HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=3600", .age: "1"])
        response.limitFreshness()
        #expect(response.headerFields[values: .cacheControl] == ["max-age=3600", "no-cache"])
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import HTTPTypes

/// The rules of an app that blocks a tracker, moves an interface, answers a request and marks its own requests.
func makeRules() throws -> RouteRules {
    let flags = try FixedResponse(fields: [.contentType: "application/json"], body: Data(#"{"chat":false}"#.utf8))
    return try RouteRules([
        RouteRule(.block(nil), host: HostPattern("tracker.example")),
        RouteRule(
            .redirect(RouteTemplate("https://api.shop.example/v2{path}{query}"), .temporaryRedirect),
            host: HostPattern("old-api.shop.example")),
        RouteRule(.respond(flags), host: HostPattern("shop.example"), path: PathPattern(glob: "/flags.json")),
        RouteRule(
            .setHeaders(RouteFields(request: [.acceptLanguage: "de"], response: [.cacheControl: "no-cache"])),
            host: HostPattern("api.shop.example")),
    ])
}

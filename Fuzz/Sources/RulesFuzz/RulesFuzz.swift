// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import FuzzSupport
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter

/// Fuzzes route rules as JSON and their decisions. The input is also used as a pattern and as a path.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRules(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let data = bytes.map { Data(bytes: $0, count: count) } ?? Data()
    read {
        let rules = try RouteRules(json: data)
        for url in ["https://shop.example/app/v1/x.js", "http://a.shop.example:8080/%2e./b?c", "https://pay.example./"]
        {
            decide(url, by: rules)
        }
    }
    // The input is a pattern, a line end and a path.
    let parts = data.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    let pattern = String(decoding: parts[0], as: UTF8.self)
    let path = "/" + (parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "")
    read {
        let glob = try PathPattern(glob: pattern)
        // `/**` matches each path that another pattern matches.
        let any = try PathPattern(glob: "/**")
        Fuzz.expect(!glob.matches(path) || any.matches(path), "matches an invalid path: \(path)")
    }
    read { _ = try PathPattern(expression: pattern).matches(path) }
    read {
        let page = try PagePattern(pattern)
        Fuzz.expect(try PagePattern(page.description) == page, "the description is another pattern: \(page)")
    }
    return 0
}

/// Checks that a denied request is not intercepted, and that disabled rules intercept no request.
private func decide(_ url: String, by rules: RouteRules) {
    guard let request = HTTPRequest(urlText: url) else { return }
    let decision = rules.decide(request, page: url, isCovered: true)
    Fuzz.expect(decision == rules.decide(request, page: url, isCovered: true), "the decisions differ")
    switch decision.reason {
    case .denied(let index): Fuzz.expect(decision.action == .pass && rules.deny.indices.contains(index), "\(decision)")
    case .rule(let index): Fuzz.expect(rules.rules[index].action == decision.action, "\(decision)")
    case .off: Fuzz.expect(!rules.isEnabled && decision.action == .pass, "\(decision)")
    default: break
    }
}

/// Runs a parser. Any error other than a `RouteError` with a single line is a defect.
private func read(_ body: () throws -> Void) {
    do {
        try body()
    } catch let error as RouteError {
        Fuzz.expectOneLine(error, limit: 1_400)
    } catch {
        Fuzz.expect(false, "untyped error: \(error)")
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BaseTesting
internal import CommandSupport
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter

/// Compares a decision among ten thousand rules with a decision among ten, and the match of a path with
/// `NSRegularExpression`.
struct RulesBenchmark {
    private static let decisions = 20_000

    func run() throws -> [Comparison] {
        let few = try Self.rules(10)
        let json = Self.json(10_000)
        var many = RouteRules.none
        let reading = try Stopwatch.seconds { many = try RouteRules(json: json) }
        let inFew = try decide(by: few, hosts: 8)
        let inMany = try decide(by: many, hosts: 8_000)
        let path = "/app/v12/assets/index-0518c371936f.js"
        let text = #"/app/v[0-9]+/assets/[a-z0-9-]+\.js"#
        let pattern = try PathPattern(expression: text)
        let expression = try NSRegularExpression(pattern: "^(?:\(text))$")
        let ours = try times { pattern.matches(path) }
        let theirs = try times {
            expression.firstMatch(in: path, range: NSRange(path.startIndex..., in: path)) != nil
        }
        return [
            Comparison(
                name: "decision among 10,000 rules, p50", reference: "among 10", ours: inMany, theirs: inFew,
                unit: "µs",
                bar: 3),
            Comparison(
                name: "path pattern, p50", reference: "NSRegularExpression", ours: ours, theirs: theirs, unit: "µs",
                bar: 1),
            Comparison(
                name: "10,000 rules read from \(json.count / 1_000) kB", reference: "–", ours: reading * 1_000,
                theirs: nil, unit: "ms", bar: nil),
        ]
    }

    /// Returns the median time of a decision in microseconds.
    private func decide(by rules: RouteRules, hosts: Int) throws -> Double {
        var random = SeededGenerator(seed: 5)
        let requests = (0..<Self.decisions).compactMap { _ in
            let host = Int.random(in: 0..<hosts, using: &random)
            return HTTPRequest(urlText: "https://a.h\(host).example/app/\(host)/assets/index.js?v=1")
        }
        var times: [Double] = []
        for request in requests {
            let seconds = try Stopwatch.seconds {
                guard rules.decide(request).action == .intercept else { throw Failure() }
            }
            times.append(seconds * 1_000_000)
        }
        return Stopwatch.median(times)
    }

    private func times(_ body: () -> Bool) throws -> Double {
        var times: [Double] = []
        for _ in 0..<Self.decisions {
            times.append(try Stopwatch.seconds { guard body() else { throw Failure() } } * 1_000_000)
        }
        return Stopwatch.median(times)
    }

    private static func rules(_ count: Int) throws -> RouteRules {
        try RouteRules(json: json(count))
    }

    /// Returns rules as JSON: one rule for each host, with one host in ten denied, and one rule for all hosts.
    private static func json(_ count: Int) -> Data {
        var rules = [#"{"action":"pass","glob":"/live/**"}"#]
        for number in 0..<(count * 9 / 10 - 1) {
            rules.append(#"{"action":"intercept","host":"*.h\#(number).example","glob":"/app/*/assets/*"}"#)
        }
        let deny = (rules.count..<count).map { #"{"host":"pay\#($0).example"}"# }
        let text =
            #"{"format":1,"rules":[\#(rules.joined(separator: ","))],"deny":[\#(deny.joined(separator: ","))]}"#
        return Data(text.utf8)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import NameResolution
internal import PackageFormat
internal import Prefetch
internal import RemoteConfig
internal import ResourceTable
internal import SchemeRouter
internal import StrictJSON
internal import SystemSupport

/// A kind of document that `h5 check` validates with the parser of the library.
struct CheckedKind: Sendable {
    /// The number of elements by name, in the order of the output.
    typealias Counts = [(name: String, count: Int)]

    /// The name for `--kind` and in the output.
    let name: String
    /// A closure that indicates whether a document is of this kind, according to its members.
    let isShown: @Sendable (_ members: MemberNames) -> Bool
    /// The members that a part of a document needs to be valid, by the place of their object.
    var needed: [String: [(name: String, value: String)]] = [:]
    /// A closure that parses a document, and throws the error of the library.
    let read: @Sendable (Data) throws -> (counts: Counts, notes: [String])

    /// All kinds.
    static let all = [rules, remoteConfig, prefetch, table, catalogue, hosts]

    static let rules = CheckedKind(
        name: "rules", isShown: { !$0.has("version") && ($0.has("rules") || $0.has("deny") || $0.has("enabled")) },
        needed: ["": [("format", "1")]]
    ) { json in
        let rules = try RouteRules(json: json)
        return ([("rules", rules.rules.count), ("denials", rules.deny.count)], DocumentWarnings.hidden(in: rules))
    }

    static let remoteConfig = CheckedKind(
        name: "remote-config", isShown: { $0.has("format") && $0.has("version") },
        needed: ["": [("format", "1"), ("version", "1")]]
    ) { json in
        let document = try RemoteConfigDocument(json: json)
        return (
            [("denials", document.deny.count), ("modes", document.modes.count), ("rules", document.rules.rules.count)],
            try DocumentWarnings.ignoredNames(in: json) + DocumentWarnings.hidden(in: document.rules)
                + DocumentWarnings.hosts(of: document.rules)
        )
    }

    static let prefetch = CheckedKind(
        name: "prefetch", isShown: { $0.has("data.config") },
        needed: [
            "": [("code", "200"), ("data", #"{"version":"1","config":[]}"#)],
            "data": [("version", "\"1\""), ("config", "[]")],
        ]
    ) { json in
        ([("pages", try PrefetchTable(json: json).pageCount)], [])
    }

    static let table = CheckedKind(
        name: "table", isShown: { $0.has("data.resourcemap") || $0.has("data.update") }
    ) { json in
        switch try TableAnswer(decoding: json, limits: .default) {
        case .unchanged: return ([("entries", 0)], ["the response changes nothing"])
        case .table(let table):
            // The app leaves out such an entry, so that its file is not available offline.
            if let fault = table.firstFault { throw fault }
            return ([("entries", table.count)], [])
        }
    }

    static let catalogue = CheckedKind(
        name: "catalogue", isShown: { $0.has("sequence") && $0.has("packages") },
        needed: ["": [("format", "1"), ("sequence", "0"), ("packages", "[]")]]
    ) { json in
        ([("packages", try PackageCatalogue(decoding: json).packages.count)], [])
    }

    static let hosts = CheckedKind(
        name: "hosts", isShown: { $0.has("page") && $0.has("hosts") },
        needed: ["": [("page", "\"\""), ("hosts", "[]")]]
    ) { json in
        let list = try PageHosts(json: json)
        return ([("hosts", list.hosts.count)], try DocumentWarnings.unused(in: list, json))
    }
}

/// The names of the members of a document: those of the root, and those of `data`, such as `data.config`.
struct MemberNames: Sendable {
    private var names: Set<String> = []

    /// Reads the names; the result is empty if the document is not an object.
    init(of json: Data) throws {
        var names: Set<String> = []
        try json.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, limits: FirstFault.limits)
            guard scanner.nextToken() == UInt8(ascii: "{") else { return }
            try scanner.readObject { scanner, text in
                let name = scanner.string(text)
                names.insert(name)
                guard name == "data", scanner.nextToken() == UInt8(ascii: "{") else {
                    try scanner.skipValue()
                    return
                }
                try scanner.readObject { scanner, text in
                    names.insert("data.\(scanner.string(text))")
                    try scanner.skipValue()
                }
            }
        }
        self.names = names
    }

    func has(_ name: String) -> Bool { names.contains(name) }
}

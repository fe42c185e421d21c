// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import NameResolution
@_spi(Fuzzing) internal import RemoteConfig
internal import ResourceLoading
@_spi(Facade) internal import SchemeRouter
internal import StrictJSON

/// Notes about documents that are valid, but probably do not have the intended effect.
enum DocumentWarnings {
    /// Returns a note for each rule that a later rule with the same conditions hides.
    static func hidden(in rules: RouteRules) -> [String] {
        var last: [RouteRule: Int] = [:]
        var notes: [String] = []
        for (index, rule) in rules.rules.enumerated() {
            var conditions = rule
            conditions.action = .pass
            if let hidden = last.updateValue(index, forKey: conditions) {
                notes.append("rules[\(hidden)] has no effect, because rules[\(index)] has the same conditions")
            }
        }
        return notes
    }

    /// Returns a note with the hosts that the app must name for remote rules, also as targets of redirects.
    static func hosts(of rules: RouteRules) -> [String] {
        let hosts = rules.hostsToName
        guard !hosts.isEmpty else { return [] }
        return ["RemoteConfigOptions.ruleHosts of the app must include \(hosts.joined(separator: ", "))"]
    }

    /// Returns a note for each name of a remote config document that this version ignores.
    static func ignoredNames(in json: Data) throws -> [String] {
        let known: [String: Set<String>] = [
            "": [
                "format", "version", "replaces", "expires", "enabled", "features", "deny", "modes", "limits", "rules",
            ],
            "features": Set(RemoteConfigFeature.allCases.map(\.rawValue)),
            "limits": Set(RemoteConfigNumbers.bounds.map(\.name)),
        ]
        var notes: [String] = []
        try json.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, limits: FirstFault.limits)
            try scanner.readObject { scanner, text in
                let name = scanner.string(text)
                if known[""]?.contains(name) == false { notes.append("\(name) is ignored") }
                guard let members = known[name], !name.isEmpty else {
                    try scanner.skipValue()
                    return
                }
                try scanner.readObject { scanner, text in
                    let member = scanner.string(text)
                    if !members.contains(member) { notes.append("\(name).\(member) is ignored") }
                    try scanner.skipValue()
                }
            }
        }
        return notes
    }

    /// Returns the notes for a list of hosts: its page has no URL, or some of its hosts are omitted.
    static func unused(in list: PageHosts, _ json: Data) throws -> [String] {
        var count = 0
        try json.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, limits: FirstFault.limits)
            try scanner.readObject { scanner, text in
                guard scanner.string(text) == "hosts" else {
                    try scanner.skipValue()
                    return
                }
                try scanner.readArray { scanner in
                    count += 1
                    try scanner.skipValue()
                }
            }
        }
        var notes: [String] = []
        if WebOrigin(url: list.page) == nil { notes.append("page is not the URL of a page") }
        if count > list.hosts.count {
            notes.append(
                "\(count - list.hosts.count) of \(count) hosts have no effect: addresses, invalid names, duplicates, "
                    + "or hosts after the limit")
        }
        return notes
    }
}

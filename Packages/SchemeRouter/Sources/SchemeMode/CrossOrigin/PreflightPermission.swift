// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes

/// What a server has permitted to an origin for one URL, and for how long.
struct PreflightPermission {
    private let methods: Set<String>
    private let fieldNames: Set<String>
    /// How long it may be kept.
    let maxAge: Duration

    /// Where the server says nothing, and at most, as other engines do: Fetch leaves the upper limit open.
    private static let defaultAge = 5
    private static let longestAge = 7_200
    /// The most names that are kept of one answer.
    private static let maxNames = 256

    init(_ fields: HTTPFields) {
        methods = Set(Self.list(fields[.accessControlAllowMethods]))
        fieldNames = Set(Self.list(fields[.accessControlAllowHeaders]).map { $0.lowercased() })
        let age = fields[.accessControlMaxAge].flatMap { UInt64($0) } ?? UInt64(Self.defaultAge)
        maxAge = .seconds(Int64(min(age, UInt64(Self.longestAge))))
    }

    /// About how many bytes it holds.
    var size: Int { methods.union(fieldNames).reduce(0) { $0 + $1.utf8.count } }

    func permits(_ method: HTTPRequest.Method) -> Bool {
        CORSSafelist.contains(method) || methods.contains("*") || methods.contains(method.rawValue)
    }

    /// - Parameter fieldName: in lower case.
    func permits(fieldName: String) -> Bool {
        // A wildcard says nothing of credentials.
        fieldNames.contains(fieldName) || fieldNames.contains("*") && fieldName != "authorization"
    }

    private static func list(_ value: String?) -> [String] {
        (value ?? "").split(separator: ",").prefix(maxNames).map { String($0.trimmingBlanks()) }
            .filter { !$0.isEmpty }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import WebSyntax

/// What a server has permitted to an origin for one URL, and for how long.
struct PreflightPermission {
    private let methods: Set<String>
    private let fieldNames: Set<String>
    /// A wildcard is a name as others are where credentials go along.
    private let isCredentialed: Bool
    /// How long it may be kept.
    let maxAge: Duration

    /// Where the server says nothing, and at most, as other engines do: Fetch leaves the upper limit open.
    private static let defaultAge = 5
    private static let longestAge = 7_200
    /// The most names that are kept of one answer.
    private static let maxNames = 256

    /// - Returns: `nil` where a list holds what is no name (Fetch, CORS-preflight fetch, step 7.4).
    init?(_ fields: HTTPFields, isCredentialed: Bool) {
        guard let methods = Self.list(fields[.accessControlAllowMethods]),
            let fieldNames = Self.list(fields[.accessControlAllowHeaders])
        else { return nil }
        self.methods = Set(methods)
        self.fieldNames = Set(fieldNames.map { $0.lowercased() })
        self.isCredentialed = isCredentialed
        let age = fields[.accessControlMaxAge].flatMap { UInt64($0) } ?? UInt64(Self.defaultAge)
        maxAge = .seconds(Int64(min(age, UInt64(Self.longestAge))))
    }

    /// About how many bytes it holds.
    var size: Int { methods.union(fieldNames).reduce(0) { $0 + $1.utf8.count } }

    func permits(_ method: HTTPRequest.Method) -> Bool {
        CORSSafelist.contains(method) || methods.contains(method.rawValue) || !isCredentialed && methods.contains("*")
    }

    /// - Parameter fieldName: in lower case.
    func permits(fieldName: String) -> Bool {
        // A wildcard says nothing of credentials.
        fieldNames.contains(fieldName)
            || !isCredentialed && fieldNames.contains("*") && fieldName != "authorization"
    }

    /// The names of a list, which may have empty places (RFC 9110, section 5.6.1); `nil` where one is no token.
    private static func list(_ value: String?) -> [String]? {
        let names = FieldList.members(of: value ?? "").map(String.init)
        guard names.allSatisfy({ HTTPField.Name($0) != nil }) else { return nil }
        return Array(names.prefix(maxNames))
    }
}

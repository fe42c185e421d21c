// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import WebSyntax

/// The permission of a server for an origin and a URL, with its lifetime.
struct PreflightPermission {
    private let methods: Set<String>
    private let fieldNames: Set<String>
    /// A Boolean value that indicates whether requests have credentials. If so, a wildcard is an ordinary name.
    private let isCredentialed: Bool
    /// The maximum time for which the permission may be cached.
    let maxAge: Duration

    /// The default lifetime (Fetch) and the maximum lifetime in seconds. Fetch does not define the maximum; this value
    /// is that of other engines.
    private static let defaultAge = 5
    private static let longestAge = 7_200
    /// The maximum number of names that are stored from each list of a response.
    private static let maxNames = 256

    /// Creates a permission from response fields.
    /// - Returns: `nil` if a list contains an invalid name (Fetch, CORS-preflight fetch, step 7.4).
    init?(_ fields: HTTPFields, isCredentialed: Bool) {
        guard let methods = Self.list(fields[.accessControlAllowMethods]),
            let fieldNames = Self.list(fields[.accessControlAllowHeaders])
        else { return nil }
        self.methods = Set(methods)
        self.fieldNames = Set(fieldNames.map { $0.asciiLowercased })
        self.isCredentialed = isCredentialed
        let age = fields[.accessControlMaxAge].flatMap { UInt64(decimalDigits: $0.utf8) } ?? UInt64(Self.defaultAge)
        maxAge = .seconds(Int64(min(age, UInt64(Self.longestAge))))
    }

    /// The approximate memory usage in bytes.
    var size: Int { methods.union(fieldNames).reduce(0) { $0 + $1.utf8.count } }

    func permits(_ method: HTTPRequest.Method) -> Bool {
        CORSSafelist.contains(method) || methods.contains(method.rawValue) || !isCredentialed && methods.contains("*")
    }

    /// Returns a Boolean value that indicates whether a field is permitted.
    /// - Parameter fieldName: The name in lower case.
    func permits(fieldName: String) -> Bool {
        // A wildcard covers neither requests with credentials nor `Authorization`.
        fieldNames.contains(fieldName)
            || !isCredentialed && fieldNames.contains("*") && fieldName != "authorization"
    }

    /// Returns the names of a list, which may have empty members (RFC 9110, section 5.6.1); `nil` if a member is not a
    /// token.
    private static func list(_ value: String?) -> [String]? {
        let names = FieldList.members(of: value ?? "").map(String.init)
        guard names.allSatisfy({ HTTPField.Name($0) != nil }) else { return nil }
        return Array(names.prefix(maxNames))
    }
}

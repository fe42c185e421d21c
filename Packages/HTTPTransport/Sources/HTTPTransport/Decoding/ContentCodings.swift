// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The codings of a body that can be removed (RFC 9110, section 8.4): gzip, its alias x-gzip, and deflate.
struct ContentCodings: Equatable {
    enum Coding: Equatable {
        case gzip
        case deflate
    }

    /// What can be removed, in the order of removal.
    let removable: [Coding]
    /// What is left after that, as the head should name it; `nil` for nothing.
    let rest: String?

    /// Reads `Content-Encoding`, in which the last coding was applied last. What is beneath an unknown coding stays.
    /// - Throws: `ResourceError` with code `tooLarge` for more codings than `limit`.
    init(_ fields: HTTPFields, limit: Int, at url: String) throws(ResourceError) {
        var names: [Substring] = []
        for name in FieldList.members(of: fields[values: .contentEncoding])
        where !name.utf8.equalsIgnoringCase("identity") {
            names.append(name)
            guard names.count <= limit else {
                throw ResourceError(.tooLarge, "more than \(limit) content codings", at: url)
            }
        }
        var removable: [Coding] = []
        while let coding = names.last.flatMap({ Self.coding($0.lowercased()) }) {
            removable.append(coding)
            names.removeLast()
        }
        self.removable = removable
        rest = names.isEmpty ? nil : names.joined(separator: ", ")
    }

    private static func coding(_ name: String) -> Coding? {
        switch name {
        case "gzip", "x-gzip": .gzip
        case "deflate": .deflate
        default: nil
        }
    }
}

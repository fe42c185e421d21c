// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The policies of a response that determine whether its document may be shown in a frame: `X-Frame-Options` (HTML,
/// section 7.6.1) and the `frame-ancestors` directives of its Content Security Policies.
struct FramingPolicy: Sendable, Hashable {
    private let options: Set<String>
    private let directives: [FrameAncestors]

    init(_ fields: HTTPFields) {
        directives = fields.reduce(into: []) { all, field in
            if field.name == .contentSecurityPolicy { all += FrameAncestors.directives(in: field.value) }
        }
        var values: Set<String> = []
        for field in fields where field.name == .xFrameOptions {
            for value in field.value.split(separator: ",", omittingEmptySubsequences: false) {
                values.insert(value.trimmingFieldWhitespace.asciiLowercased)
            }
        }
        options = values
    }

    /// A Boolean value that indicates whether every document may show the response in a frame.
    var isEmpty: Bool { options.isEmpty && directives.isEmpty }

    /// Returns the name of the policy that forbids the frame, or `nil` if all permit it.
    /// - Parameters:
    ///   - document: The origin of the response.
    ///   - ancestors: The origins of the documents around the frame.
    func refusal(of document: WebOrigin, in ancestors: [WebOrigin]) -> String? {
        guard directives.isEmpty else {
            let isAllowed = directives.allSatisfy { directive in
                ancestors.allSatisfy { directive.allows($0, around: document) }
            }
            return isAllowed ? nil : "frame-ancestors"
        }
        return isRefusedByOptions(document, ancestors) ? "X-Frame-Options" : nil
    }

    private func isRefusedByOptions(_ document: WebOrigin, _ ancestors: [WebOrigin]) -> Bool {
        // Several different values forbid the frame if at least one is a known value.
        guard options.count < 2 else { return !options.isDisjoint(with: ["deny", "sameorigin", "allowall"]) }
        switch options.first {
        case "deny": return true
        case "sameorigin": return !ancestors.allSatisfy { $0 == document }
        default: return false
        }
    }
}

extension HTTPField.Name {
    /// The name of the field. Creating it never fails, because the name is a token.
    fileprivate static let xFrameOptions = HTTPField.Name("X-Frame-Options") ?? .contentSecurityPolicy
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
internal import WebSyntax

/// A change of one file of a repository. Paths are relative to the folder of the repository.
package enum RepositoryStep: Sendable, Hashable {
    /// Replaces a file atomically, or creates it.
    case write(path: String, bytes: Data)
    /// Moves a file of the same file system, at a path of the process, to the repository.
    case move(from: String, path: String)
    /// Gives a file of the repository a second name.
    case link(from: String, path: String)
    /// Removes a file, if there is one.
    case remove(path: String)

    /// The path of the file.
    package var path: String {
        switch self {
        case .write(let path, _), .move(_, let path), .link(_, let path), .remove(let path): path
        }
    }

    /// The name of the root that waits for signatures.
    static let stagedRootName = "root.next.json"
    /// The path of the root that waits for signatures.
    static let stagedRoot = "metadata/\(stagedRootName)"

    /// Returns the step that writes a document under the name of its version (TUF 1.0.34, section 6.2).
    static func write(_ document: MetadataDocument) -> RepositoryStep {
        .write(path: "metadata/\(name(of: document.name, document.version))", bytes: document.bytes)
    }

    /// Returns the name of the file of a document.
    static func name(of role: String, _ version: Int64) -> String {
        guard role != TopRole.timestamp else { return "timestamp.json" }
        return "\(version).\(PercentEncoding.encode(role, keeping: .unreserved)).json"
    }
}

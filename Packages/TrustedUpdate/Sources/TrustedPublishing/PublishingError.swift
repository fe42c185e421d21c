// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import SystemSupport

/// The reason for which a repository or a key cannot be read, changed or written.
package struct PublishingError: CodedError {
    package typealias Code = ErrorCode<PublishingError>

    package let code: Code
    package let message: String
    /// The name of a role, the path of a target, the identifier of a key, or a path in the file system.
    package let location: String?

    /// Creates an error.
    package init(_ code: Code, _ message: String, at location: String? = nil) {
        self.code = code
        self.message = message
        self.location = location
    }

    /// Creates an error of the file system.
    package init(_ error: SystemError) {
        self.init(.io, "\(error)", at: error.path)
    }
}

extension ErrorCode<PublishingError> {
    /// A document of the repository is not valid metadata, or is not the document that another one announces.
    package static var badMetadata: Self { Self("bad-metadata") }
    /// A file is no key, or a key is not of the expected kind.
    package static var badKey: Self { Self("bad-key") }
    /// A repository, a key or a release exists already.
    package static var exists: Self { Self("exists") }
    /// A value is not possible in this repository.
    package static var badValue: Self { Self("bad-value") }
    /// A file or a folder does not exist.
    package static var noInput: Self { Self("no-input") }
    /// The repository has no such role, key or release.
    package static var notFound: Self { Self("not-found") }
    /// Fewer keys than the threshold have signed a document, or can sign it.
    package static var unsigned: Self { Self("unsigned") }
    /// Another process changes the repository.
    package static var inUse: Self { Self("in-use") }
    /// A file or a folder cannot be read or written.
    package static var io: Self { Self("io") }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport
internal import WebSyntax

/// The options of the interface through which a page talks to its container: an object of the page, by default
/// `window.containerkit`. `docs/containerkit.d.ts` declares its members.
///
/// The top-level documents of covered origins have the object. Frames, sandboxed documents and documents of other
/// origins do not.
public struct PageInterfaceOptions: Sendable, Hashable {
    /// The name of the object.
    public let name: String

    /// Creates the default options, with the name `containerkit`.
    public init() {
        name = "containerkit"
    }

    /// Creates options with another name.
    /// - Parameter name: an identifier of 1 to 64 ASCII letters, digits, `_` and `$`. A document that already has a
    ///   global with this name, such as `location`, gets no object.
    /// - Throws: ``PageInterfaceError`` with code `invalidName`.
    public init(name: String) throws {
        guard Self.isIdentifier(name) else {
            throw PageInterfaceError(.invalidName, "not an identifier of at most 64 ASCII characters", at: name)
        }
        self.name = name
    }

    /// Returns a Boolean value that indicates whether a text is an identifier of 1 to 64 ASCII letters, digits, `_` and
    /// `$`, without a digit at the beginning.
    static func isIdentifier(_ name: String) -> Bool {
        let isWord = name.utf8.enumerated().allSatisfy { index, byte in
            byte.isASCIILetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
                || byte.isASCIIDigit && index > 0
        }
        return isWord && (1...64).contains(name.utf8.count)
    }
}

/// The reason for which values for pages are invalid.
public struct PageInterfaceError: CodedError, Hashable {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<PageInterfaceError>

    /// The kind of the failure.
    public let code: Code
    /// A message of one line for people.
    public let message: String
    /// The origin or name that the error is about.
    public let location: String?

    /// Creates an error.
    init(_ code: Code, _ message: String, at location: String? = nil) {
        self.code = code
        self.message = message
        self.location = location
    }
}

extension ErrorCode<PageInterfaceError> {
    /// The initial data of a page is invalid.
    public static var invalidInitialData: Self { Self("invalid-seed") }
    /// The name of a page's interface is not an identifier.
    public static var invalidName: Self { Self("invalid-name") }
}

/// A call of a page to its container by ``PageInterfaceOptions``. Later versions can add cases, so a `switch` needs a
/// `default`.
public enum PageInterfaceEvent: Sendable, Hashable {
    /// The document reported that it works.
    case ready
    /// The document reported that it does not work, with its reason: one printable line of at most 256 characters.
    case failed(String)
    /// The page is reloaded with the active version of its package.
    case reloading
    /// A message was refused, with the reason. This case is sent once for each document.
    case refused(String)
}

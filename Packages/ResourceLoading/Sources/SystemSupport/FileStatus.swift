// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CSystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The attributes of a file, a directory or a symbolic link, read in one system call.
public struct FileStatus: Sendable, Hashable {
    /// The type of a file.
    public enum Kind: Sendable, Hashable {
        /// A regular file.
        case file
        /// A directory.
        case directory
        /// A symbolic link, which was not followed.
        case symbolicLink
        /// A device, a pipe or a socket.
        case other
    }

    /// The identity of a file: its inode number and device number. Two names of one file have the same identity.
    public struct Identity: Sendable, Hashable {
        private let device: UInt64
        private let inode: UInt64

        fileprivate init(device: UInt64, inode: UInt64) {
            self.device = device
            self.inode = inode
        }
    }

    /// The type of the file.
    public let kind: Kind
    /// The size in bytes.
    public let size: Int64
    /// The permission bits with the set-user-ID, set-group-ID and sticky bits; at most `0o7777`.
    public let permissions: UInt32
    /// The ID of the owning user.
    public let user: UInt32
    /// The number of hard links.
    public let linkCount: UInt64
    /// The identity of the file.
    public let identity: Identity
    /// The time of the last change of the content, in nanoseconds since 1970. Programs can set it.
    public let modificationTime: Int64
    /// The time of the last change of the content, the name or the permissions, in nanoseconds since 1970.
    public let changeTime: Int64

    /// Reads the attributes of a path.
    /// - Parameters:
    ///   - path: the path of a file of any kind, absolute or relative to the working directory.
    ///   - followsLinks: `true` to read the attributes of a symbolic link's target, `false` to read the link's own.
    public init(path: String, followsLinks: Bool) throws(SystemError) {
        var status = container_file_status()
        guard container_status_of_path(path, followsLinks ? 1 : 0, &status) == 0 else {
            throw SystemError("stat", at: path)
        }
        self.init(status)
    }

    /// Reads the attributes of an open file.
    /// - Parameters:
    ///   - descriptor: the open file or directory.
    ///   - path: the path of the file, for messages.
    public init(descriptor: CInt, path: String? = nil) throws(SystemError) {
        var status = container_file_status()
        guard container_status_of_descriptor(descriptor, &status) == 0 else { throw SystemError("stat", at: path) }
        self.init(status)
    }

    /// Reads the attributes of a name in an open directory. A symbolic link is not followed.
    /// - Parameters:
    ///   - name: the name to look up.
    ///   - directory: the descriptor of the directory, or `AT_FDCWD` for the working directory.
    public init(name: String, in directory: CInt) throws(SystemError) {
        var status = container_file_status()
        guard container_status_of_name(directory, name, &status) == 0 else { throw SystemError("stat") }
        self.init(status)
    }

    private init(_ status: container_file_status) {
        switch mode_t(status.mode) & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .directory
        case S_IFLNK: kind = .symbolicLink
        default: kind = .other
        }
        size = status.size
        permissions = status.mode & 0o7777
        user = status.user
        linkCount = status.link_count
        identity = Identity(device: status.device, inode: status.inode)
        modificationTime = status.modification_time
        changeTime = status.change_time
    }

    /// A Boolean value that indicates whether the owner is this process's effective user or root.
    public var isTrusted: Bool { user == geteuid() || user == 0 }
}

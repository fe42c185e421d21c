// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Logging
public import PackageFormat

extension PackageLibrary {
    /// What a library may be told.
    public struct Configuration: Sendable {
        /// What an archive may ask for. Default: `ArchiveLimits.default`.
        public var archiveLimits: ArchiveLimits
        /// What a manifest may ask for. Default: `ManifestLimits.default`.
        public var manifestLimits: ManifestLimits
        /// The host's own version, for packages that ask for one. `nil`, the default, refuses every package that does.
        public var hostVersion: PackageVersion?
        /// A Boolean value that indicates whether sources, manifests, archives and base URLs may be of `http` on other
        /// machines than this one. Default: `false`. What is of this machine is always allowed: 127.0.0.0/8, `[::1]`,
        /// `localhost` and names below it.
        public var allowsInsecure: Bool
        /// Is told of damage. Default: a logger with the label `container.packages`.
        public var logger: Logger

        public init(
            archiveLimits: ArchiveLimits = .default, manifestLimits: ManifestLimits = .default,
            hostVersion: PackageVersion? = nil, allowsInsecure: Bool = false,
            logger: Logger = Logger(label: "container.packages")
        ) {
            self.archiveLimits = archiveLimits
            self.manifestLimits = manifestLimits
            self.hostVersion = hostVersion
            self.allowsInsecure = allowsInsecure
            self.logger = logger
        }
    }
}

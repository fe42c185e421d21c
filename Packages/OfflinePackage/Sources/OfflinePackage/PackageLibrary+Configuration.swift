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
        /// Is told of damage. Default: a logger with the label `container.packages`.
        public var logger: Logger

        public init(
            archiveLimits: ArchiveLimits = .default, manifestLimits: ManifestLimits = .default,
            hostVersion: PackageVersion? = nil, logger: Logger = Logger(label: "container.packages")
        ) {
            self.archiveLimits = archiveLimits
            self.manifestLimits = manifestLimits
            self.hostVersion = hostVersion
            self.logger = logger
        }
    }
}

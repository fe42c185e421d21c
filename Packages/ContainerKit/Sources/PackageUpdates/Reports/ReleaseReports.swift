// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The options of reports about releases, which the container sends to a server of the publisher.
///
/// A report names a package, a version, the channel of the device, an event, and the code of its reason. It has no
/// identifier of the device or the user, and no URL. `docs/operations.md` specifies the format.
public struct ReleaseReports: Sendable, Hashable {
    /// The absolute URL that receives the reports. It uses `https` or refers to this machine, unless
    /// `PackageLibrary.Configuration.allowsInsecure` permits `http`. With another URL nothing is sent, and the log has
    /// an error.
    public var url: String
    /// The share of the reports that are sent, in thousandths: 0 to 1000. Default: 1000.
    ///
    /// A random number decides for each report, independently of the device and of other reports.
    public var share = 1_000

    /// Creates options with the default share.
    /// - Parameter url: the absolute URL that receives the reports.
    public init(url: String) {
        self.url = url
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import PackageFormat
internal import PackagePublisher
internal import TrustedPublishing

/// A publisher of the package `shop`, with a signed repository in a folder as `h5` writes it. Two of three root keys
/// must sign.
struct ReleasePublisher {
    /// The base URL of the package, which is the scope of its releases.
    static let scope = "https://shop.example/app/"

    /// The folder of the repository.
    private(set) var path: String
    private let root = (0..<3).map { _ in SigningKey(generating: .ed25519) }
    private var targets = SigningKey(generating: .p256)
    private var online = SigningKey(generating: .ed25519)

    /// Creates the keys, and a repository without releases.
    init(_ path: String) throws {
        self.path = path
        let keys = try RoleKeys([online.publicKey], threshold: 1, of: "online")
        try publishRoot(
            [
                TopRole.root: RoleKeys(root.map(\.publicKey), threshold: 2, of: TopRole.root),
                TopRole.targets: RoleKeys([targets.publicKey], threshold: 1, of: TopRole.targets),
                TopRole.snapshot: keys, TopRole.timestamp: keys,
            ], creates: true)
    }

    /// Returns a publisher with the same keys and a copy of the repository.
    func copy(at path: String) throws -> ReleasePublisher {
        try FileManager.default.copyItem(atPath: self.path, toPath: path)
        var copy = self
        copy.path = path
        return copy
    }

    /// The root that comes with the app.
    var firstRoot: Data {
        get throws { try Data(contentsOf: URL(fileURLWithPath: "\(path)/metadata/1.root.json")) }
    }

    // MARK: Releases

    /// Packs a site and publishes it.
    /// - Parameters:
    ///   - version: the version.
    ///   - files: the texts of the files of the site, by path.
    ///   - share: the share of the devices.
    ///   - number: the number of the release, or `nil` for the next one.
    ///   - signed: the version of the release, or `nil` for that of the manifest.
    ///   - id: the package that the manifest describes. The release is always one of `shop`.
    ///   - base: the base URL in the manifest. The scope of the release is always ``scope``.
    /// - Returns: the release.
    @discardableResult
    func publish(
        _ version: String, _ files: [String: String], share: Int = ReleaseRecord.shares.upperBound,
        number: Int64? = nil, signedAs signed: String? = nil, id: String = "shop", base: String = Self.scope
    ) throws -> ReleaseRecord {
        let folder = try RepositoryFolder(changing: path)
        let state = try folder.state()
        let shop = try PackageID("shop")
        let sequence = try number ?? state.nextSequence(of: shop)
        let package = try Self.build(version, files, id: id, base: base, sequence: sequence, in: "\(path)-\(version)")
        let manifest = try Data(contentsOf: URL(fileURLWithPath: package.manifest))
        let release = ReleaseRecord(
            shop, try PackageVersion(signed ?? version), sequence: sequence, scope: try PackageBaseURL(Self.scope),
            channels: [ReleaseRecord.defaultChannel], share: share, minHost: nil, start: nil, manifest: manifest)
        var update = makeUpdate(state)
        update.insert(release, in: state.role(of: shop))
        let files: [RepositoryStep] = [
            .move(from: package.archive, path: release.archivePath),
            .write(path: release.manifestPath, bytes: manifest),
        ]
        try folder.apply(files + update.steps())
        return release
    }

    /// Packs a site without publishing it.
    /// - Parameter folder: the folder for the site, and for `packages` with the archive and the manifest.
    static func build(
        _ version: String, _ files: [String: String], id: String = "shop", base: String = Self.scope, sequence: Int64,
        in folder: String
    ) throws -> PackageBuilder.Result {
        let site = "\(folder)/site"
        try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(site)/\(name)")) }
        return try PackageBuilder().build(
            site, id: PackageID(id), version: PackageVersion(version), baseURL: PackageBaseURL(base),
            sequence: sequence, output: "\(folder)/packages")
    }

    /// Changes the conditions of a release.
    func change(_ version: String, _ body: (inout ReleaseRecord) -> Void) throws {
        let folder = try RepositoryFolder(changing: path)
        let state = try folder.state()
        var listed = try state.release(PackageID("shop"), PackageVersion(version))
        body(&listed.release)
        var update = makeUpdate(state)
        update.insert(listed.release, in: listed.role)
        try folder.apply(update.steps())
    }

    /// Raises the versions of targets, snapshot and timestamp.
    func renew() throws {
        let folder = try RepositoryFolder(changing: path)
        var update = makeUpdate(try folder.state())
        update.renew()
        try folder.apply(update.steps())
    }

    // MARK: Keys

    /// Replaces the key of targets. The former one does not sign.
    mutating func replaceTargetsKey() throws {
        targets = SigningKey(generating: .p256)
        try publishRoot([TopRole.targets: RoleKeys([targets.publicKey], threshold: 1, of: TopRole.targets)])
    }

    /// Replaces the key of snapshot and timestamp. The former one does not sign.
    mutating func replaceOnlineKey() throws {
        online = SigningKey(generating: .ed25519)
        let keys = try RoleKeys([online.publicKey], threshold: 1, of: "online")
        try publishRoot([TopRole.snapshot: keys, TopRole.timestamp: keys])
    }

    private func publishRoot(_ roles: [String: RoleKeys], creates: Bool = false) throws {
        let folder = try RepositoryFolder(changing: path, creates: creates)
        var update = makeUpdate(try folder.state(), Array(root.prefix(2)))
        try update.stageRoot(roles)
        try update.signRoot()
        let (steps, obstacle) = try update.rootSteps()
        try expect(obstacle == nil, "the root waits: \(obstacle ?? "")")
        try folder.apply(steps)
    }

    private func makeUpdate(_ state: RepositoryState, _ rootKeys: [SigningKey] = []) -> RepositoryUpdate {
        RepositoryUpdate(state, keys: rootKeys + [targets, online], now: Date(), lifetimes: Lifetimes())
    }
}

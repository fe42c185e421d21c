// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Configuration
internal import Foundation
internal import PackageFormat
internal import SystemPackage
internal import TrustedPublishing

/// The defaults of the publishing commands: the file `h5.json` in the current folder, and the environment variables
/// `H5_…`, which override it.
struct PublishingSettings {
    /// The name of the file.
    static let fileName = "h5.json"

    var repository: String?
    var id: PackageID?
    var baseURL: PackageBaseURL?
    /// The path of root metadata from a trusted source.
    var trustedRoot: String?
    /// The paths of the private keys that sign.
    var keys: [String] = []
    var channel: String?
    var lifetimes = Lifetimes()

    /// Reads the settings.
    /// - Throws: ``CommandError`` with ``ExitStatus/badInput`` for a value of another type.
    static func load() async throws -> PublishingSettings {
        guard #available(macOS 15, *) else {
            guard !FileManager.default.fileExists(atPath: fileName) else {
                throw CommandError(.badInput, code: "bad-settings", "the file needs macOS 15", at: fileName)
            }
            return PublishingSettings()
        }
        do {
            let file = try await FileProvider<JSONSnapshot>(filePath: FilePath(fileName), allowMissing: true)
            return try PublishingSettings([EnvironmentVariablesProvider().prefixKeys(with: "h5"), file])
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.badInput, code: "bad-settings", "\(error)", at: fileName)
        }
    }

    private init() {}

    @available(macOS 15, iOS 18, *)
    private init(_ providers: [any ConfigProvider]) throws {
        func content(_ key: String, _ type: ConfigType) throws -> ConfigContent? {
            for provider in providers {
                let key = AbsoluteConfigKey(ConfigKey(key))
                if let value = try provider.value(forKey: key, type: type).value { return value.content }
            }
            return nil
        }
        func text(_ key: String) throws -> String? {
            guard case .string(let text) = try content(key, .string) else { return nil }
            return text
        }
        func parse<Value>(_ key: String, _ body: (String) throws -> Value) throws -> Value? {
            do {
                return try text(key).map(body)
            } catch {
                throw CommandError(.badInput, code: "bad-settings", "\(error)", at: key)
            }
        }
        repository = try text("repository")
        id = try parse("id") { try PackageID($0) }
        baseURL = try parse("baseURL") { try OptionValue.baseURL($0) }
        trustedRoot = try text("trustedRoot")
        if case .stringArray(let keys) = try content("keys", .stringArray) { self.keys = keys }
        channel = try text("channel")
        for role in TopRole.all {
            guard case .int(let days) = try content("expiry.\(role)", .int) else { continue }
            guard Lifetimes.days.contains(days) else {
                throw CommandError(
                    .badInput, code: "bad-settings", "not 1 to \(Lifetimes.days.upperBound) days", at: "expiry.\(role)")
            }
            lifetimes.set(days, for: role)
        }
    }

    /// Returns a value that an option or the settings must have.
    /// - Throws: ``CommandError`` with ``ExitStatus/usage``.
    static func require<Value>(_ value: Value?, _ option: String) throws -> Value {
        guard let value else {
            throw CommandError(.usage, code: "usage", "neither \(option) nor \(fileName) has a value", at: option)
        }
        return value
    }
}

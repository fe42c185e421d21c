// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Configuration
internal import Foundation
internal import PackageFormat
internal import SystemPackage
internal import TrustedPublishing
internal import WebSyntax

/// The defaults of the publishing commands: the file `h5.json` in the current folder, and the environment variables
/// `H5_…`, which override it.
struct PublishingSettings {
    /// The name of the file.
    static let fileName = "h5.json"
    /// The maximum number of bytes of the file.
    private static let maxBytes = 65_536
    /// The member of the file with the days of each role.
    private static let expiry = "expiry"
    /// The environment variables of the other members. That of the days of a role is `H5_EXPIRY_` and its name.
    private static let variables = [
        "repository": "H5_REPOSITORY", "id": "H5_ID", "baseURL": "H5_BASE_URL", "keys": "H5_KEYS",
        "channel": "H5_CHANNEL", "trustedRoot": "H5_TRUSTED_ROOT",
    ]

    var repository: String?
    var id: PackageID?
    var baseURL: PackageBaseURL?
    /// The path of root metadata from a trusted source.
    var trustedRoot: String?
    /// The paths of the private keys that sign.
    var keys: [String] = []
    /// The source of ``keys`` as messages name it.
    var keysSource = "--key"
    var channel: String?
    var lifetimes = Lifetimes()

    /// Reads the settings. Environment variables without a value have no effect.
    /// - Throws: ``CommandError`` with code `bad-settings` for an unknown name and for a value that is not valid.
    static func load() async throws -> PublishingSettings {
        guard #available(macOS 15, *) else {
            guard !FileManager.default.fileExists(atPath: fileName) else {
                throw CommandError(.badInput, code: "bad-settings", "the file needs macOS 15", at: fileName)
            }
            return PublishingSettings()
        }
        if FileManager.default.fileExists(atPath: fileName) {
            try check(try TableInput.read(fileName, upTo: maxBytes + 1))
        }
        let variables = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
        let environment = EnvironmentVariablesProvider(environmentVariables: variables)
        do {
            let file = try await FileProvider<JSONSnapshot>(filePath: FilePath(fileName), allowMissing: true)
            return try PublishingSettings(environment.prefixKeys(with: "h5"), file)
        } catch let error as CommandError {
            throw error
        } catch {
            throw fault("the file cannot be read", at: fileName)
        }
    }

    private static func fault(_ message: String, at location: String) -> CommandError {
        CommandError(.badInput, code: "bad-settings", message, at: location)
    }

    // MARK: Names and types

    /// Verifies the names and the types of the file, because providers of settings ignore unknown names and objects.
    private static func check(_ bytes: Data) throws {
        guard bytes.count <= maxBytes else { throw fault("more than \(maxBytes) bytes", at: fileName) }
        let document: JSONValue
        do {
            document = try JSONValue(decoding: bytes, at: fileName)
        } catch {
            throw fault("not a JSON document of settings: \(error.message)", at: fileName)
        }
        guard case .object(let members) = document else { throw fault("not a JSON object", at: fileName) }
        try checkNames(members, known: variables.keys + [expiry])
        for (name, value) in members.map({ ($0.text, $1) }).sorted(by: { $0.0 < $1.0 }) {
            switch (name, value) {
            case (_, .null): break
            case (expiry, .object(let days)):
                try checkNames(days, known: TopRole.all, below: expiry)
                for (role, value) in days where value != .null && value.number == nil {
                    throw fault("not a number of days", at: "\(expiry).\(role)")
                }
            case (expiry, _): throw fault("not an object", at: name)
            case ("keys", .array(let elements)) where elements.allSatisfy({ $0.text != nil }): break
            case ("keys", _): throw fault("not a list of strings", at: name)
            case (_, .string): break
            default: throw fault("not a string", at: name)
            }
        }
    }

    private static func checkNames(
        _ members: [ByteText: JSONValue], known: [String], below parent: String? = nil
    ) throws {
        let unknown = members.keys.filter { name in !known.contains { name == ByteText($0) } }.sorted()
        guard !unknown.isEmpty else { return }
        let names = unknown.map { name in parent.map { "\($0).\(name)" } ?? "\(name)" }
        throw fault("unknown names: \(names.joined(separator: ", "))", at: fileName)
    }

    // MARK: Values

    private init() {}

    @available(macOS 15, iOS 18, *)
    private init(_ environment: some ConfigProvider, _ file: some ConfigProvider) throws {
        /// Returns a value, and the name of the variable or the member that has it.
        func content(_ key: String, _ type: ConfigType) throws -> (content: ConfigContent, place: String)? {
            let name = AbsoluteConfigKey(ConfigKey(key))
            let variable = Self.variables[key] ?? "H5_" + key.uppercased().replacing(".", with: "_")
            do {
                let value = try environment.value(forKey: name, type: type).value
                if let value { return (value.content, variable) }
            } catch {
                throw Self.fault(type == .int ? "not a number of days" : "a value of another type", at: variable)
            }
            do {
                return try file.value(forKey: name, type: type).value.map { ($0.content, key) }
            } catch {
                throw Self.fault("a value of another type", at: key)
            }
        }
        func parse<Value>(_ key: String, _ body: (String) throws -> Value) throws -> Value? {
            guard let found = try content(key, .string), case .string(let text) = found.content else { return nil }
            do {
                return try body(text)
            } catch {
                throw Self.fault("\(error)", at: found.place)
            }
        }
        repository = try parse("repository") { $0 }
        id = try parse("id", OptionValue.packageID)
        baseURL = try parse("baseURL", OptionValue.baseURL)
        trustedRoot = try parse("trustedRoot") { $0 }
        if let found = try content("keys", .stringArray), case .stringArray(let keys) = found.content {
            self.keys = keys
            if !keys.isEmpty { keysSource = found.place == "keys" ? Self.fileName : found.place }
        }
        channel = try parse("channel", OptionValue.channel)
        for role in TopRole.all {
            let key = "\(Self.expiry).\(role)"
            guard let found = try content(key, .int), case .int(let days) = found.content else { continue }
            guard Lifetimes.days.contains(days) else {
                throw Self.fault("not 1 to \(Lifetimes.days.upperBound) days", at: found.place)
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

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Logging

/// A log handler that writes each message as one diagnostic line of the program.
///
/// Isolation: any.
public struct OutputLogHandler: LogHandler {
    public var metadata = Logger.Metadata()
    public var metadataProvider: Logger.MetadataProvider?
    public var logLevel = Logger.Level.info
    private let write: @Sendable (String) -> Void

    /// Creates a handler that writes to standard error.
    public init() {
        self.init { CommandOutput.log($0) }
    }

    init(write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a message with its level and its metadata, sorted by key.
    public func log(event: LogEvent) {
        let fields = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }.merging(event.metadata ?? [:]) { $1 }
        let list = fields.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        write("\(event.level): \(event.message)\(list)")
    }
}

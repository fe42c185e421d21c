// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
@_spi(Packaging) public import PackageFormat
internal import Synchronization

/// Support for the fuzz targets.
public enum Fuzz {
    /// Small archive limits, so that no input takes long.
    public static let limits = ArchiveLimits(
        maxTotalBytes: 1 << 20, maxEntries: 64, maxRatio: 1_100, ratioFloor: 1 << 16)

    /// Runs one input. Any error other than a `PackageError` is a defect of the parser and ends the process.
    public static func run(_ bytes: UnsafePointer<UInt8>?, _ count: Int, _ body: (Data) throws -> Void) {
        let data = bytes.map { Data(bytes: $0, count: count) } ?? Data()
        do {
            try body(data)
        } catch let error as PackageError {
            expectOneLine(error)
        } catch {
            expect(false, "untyped error: \(error)")
        }
    }

    /// Ends the process if a condition is false, so that the fuzzer stores the input.
    public static func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
        guard !condition else { return }
        FileHandle.standardError.write(Data("fuzz: \(message())\n".utf8))
        abort()
    }

    /// Ends the process unless the text of an error is one line of fewer than `limit` bytes.
    public static func expectOneLine(_ error: any Error, limit: Int = .max) {
        let text = "\(error)"
        expect(!text.contains("\n") && text.utf8.count < limit, "the text of an error: \(text)")
    }

    /// Runs asynchronous work and blocks until it completes.
    public static func wait<Value: Sendable>(for work: @escaping @Sendable () async -> Value) -> Value {
        let result = Mutex<Value?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task {
            let value = await work()
            result.withLock { $0 = value }
            done.signal()
        }
        done.wait()
        guard let value = result.withLock({ $0 }) else {
            expect(false, "work without a result")
            abort()
        }
        return value
    }

    /// Writes bytes to a file and returns its path. The path is constant in a process, because a process runs one input
    /// at a time.
    public static func file(_ data: Data) throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/containerkit-fuzz-\(getpid())"
        try data.write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Returns the files of an archive by path.
    package static func contents(
        of archive: String, by reader: some ArchiveReading = ArchiveReader(), limits: ArchiveLimits = Fuzz.limits
    ) throws -> [ArchivePath: Data] {
        var files: [ArchivePath: Data] = [:]
        var total: Int64 = 0
        try reader.read(archive, limits: limits) { entry, reader in
            var data = Data()
            while let piece = try reader.next() {
                expect(!piece.isEmpty && piece.count <= 256 << 10, "a piece of \(piece.count) bytes")
                data.append(piece)
                total += Int64(piece.count)
                expect(total <= limits.maxTotalBytes, "\(total) bytes exceed the limit")
            }
            expect(files.updateValue(data, forKey: entry.path) == nil, "\(entry.path) is duplicated")
        }
        return files
    }
}

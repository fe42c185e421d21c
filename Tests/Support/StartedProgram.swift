// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// A built program that goes on until it is told to end.
///
/// Unchecked: the process is started in `init` and only signalled after that.
public final class StartedProgram: @unchecked Sendable {
    /// What it said first on standard output, without the line's end; `nil` where it ended without a word.
    public let firstLine: String?
    private let process: Process
    private let endings: AsyncStream<Int32>

    init(path: String, arguments: [String], folder: String) async throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let (endings, ending) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            ending.yield($0.terminationReason == .exit ? $0.terminationStatus : -$0.terminationStatus)
            ending.finish()
        }
        let (pieces, piece) = AsyncStream.makeStream(of: Data.self)
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                piece.finish()
            } else {
                piece.yield(data)
            }
        }
        try process.run()
        var said = Data()
        for await data in pieces {
            said += data
            if said.contains(UInt8(ascii: "\n")) { break }
        }
        self.process = process
        self.endings = endings
        firstLine = said.firstIndex(of: UInt8(ascii: "\n")).map { String(decoding: said[..<$0], as: UTF8.self) }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Sends it a signal and waits for its end.
    /// - Returns: its exit status; a signal that ended it, as a negative number.
    public func end(by signal: Int32) async -> Int32? {
        kill(process.processIdentifier, signal)
        for await status in endings { return status }
        return nil
    }
}

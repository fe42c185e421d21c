// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

/// A reader of the lines of standard input or a file. It returns a line as soon as the line is complete.
struct LineInput {
    private static let chunk = 65_536

    /// The number of the last line, from 1.
    private(set) var number = 0
    /// The maximum length of a line, in bytes.
    private let maxBytes: Int
    private let file: FileHandle
    private let name: String
    private var buffer = Data()
    /// The offset in the buffer of the next line.
    private var start = 0
    private var isAtEnd = false
    /// A Boolean value that indicates whether the rest of a line that is too long comes next.
    private var isSkipping = false

    /// Creates a reader.
    /// - Parameters:
    ///   - file: the file.
    ///   - name: the name of the file in errors.
    ///   - maxBytes: the maximum length of a line, in bytes.
    init(_ file: FileHandle = .standardInput, name: String = "standard input", maxBytes: Int = 1 << 20) {
        self.file = file
        self.name = name
        self.maxBytes = maxBytes
    }

    /// Returns the next line without its line feed, or `nil` at the end of the input.
    /// - Throws: ``CommandError`` with code `bad-line` if the line is too long, after which the following line can be
    ///   read, and with code `io`; `CancellationError` after a signal.
    mutating func next() throws -> Data? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = start..<end
                start = end + 1
                searched = start
                guard !isSkipping else {
                    isSkipping = false
                    continue
                }
                number += 1
                guard line.count <= maxBytes else { throw tooLong() }
                // A copy has the indices of a whole value.
                return Data(buffer[line])
            }
            if isAtEnd {
                guard start < buffer.count, !isSkipping else { return nil }
                number += 1
                defer { start = buffer.count }
                return Data(buffer[start...])
            }
            guard isSkipping || buffer.count - start <= maxBytes else {
                number += 1
                isSkipping = true
                throw tooLong()
            }
            buffer = isSkipping ? Data() : Data(buffer[start...])
            start = 0
            searched = buffer.count
            try fill()
        }
    }

    private func tooLong() -> CommandError {
        CommandError(.badInput, code: "bad-line", "the line has more than \(maxBytes) bytes", at: "line \(number)")
    }

    /// Reads what is available, and waits for it. A signal ends the wait.
    private mutating func fill() throws {
        var source = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
        while poll(&source, 1, 100) == 0 { try Task.checkCancellation() }
        try Task.checkCancellation()
        var bytes = [UInt8](repeating: 0, count: Self.chunk)
        let count = read(file.fileDescriptor, &bytes, bytes.count)
        if count > 0 {
            buffer.append(contentsOf: bytes[..<count])
        } else if count == 0 {
            isAtEnd = true
        } else if errno != EINTR && errno != EAGAIN {
            throw CommandError(.io, code: "io", "the input cannot be read", at: name)
        }
    }
}

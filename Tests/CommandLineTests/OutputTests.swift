// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Logging
import Testing

@testable import CommandSupport

/// Text of other parties in the output of a program.
@Suite("Output of programs", .timeLimit(.minutes(1)))
struct OutputTests {
    @Test("An error is one line without control characters and bidirectional controls")
    func error() {
        let error = CommandError(.io, code: "io", "a\tb\r\n c\u{1B}[2J\u{202E}", at: "d\u{85}\u{2028}\u{200F}")
        #expect(error.description == "error: io: a b c\u{FFFD}[2J\u{FFFD} (d\u{FFFD}\u{FFFD}\u{FFFD})")
    }

    @Test("A log message has its level and metadata, and `OneLine` makes it printable")
    func log() {
        let lines = Lines()
        var logger = Logger(label: "test") { _ in OutputLogHandler { lines.append($0) } }
        logger[metadataKey: "b"] = "2"
        logger.warning("a file is damaged", metadata: ["a": "x\u{1B}\ny"])
        logger.debug("not written")
        #expect(lines.all.map(OneLine.text) == ["warning: a file is damaged a=x\u{FFFD} y b=2"])
    }
}

private final class Lines: Sendable {
    private let list = Mutex<[String]>([])

    var all: [String] { list.withLock { $0 } }

    func append(_ line: String) { list.withLock { $0.append(line) } }
}

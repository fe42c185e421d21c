// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

/// A body without its content codings, decoded while it is read. At most 64 KiB of decoded bytes for each coding are in
/// memory at a time, besides the window of the decoder: 32 KiB for gzip and deflate, and at most 16 MiB for Brotli.
struct DecodedBody: AsyncSequence, Sendable {
    private static let pieceSize = 64 << 10
    private let chunks: BodyChunks
    private let codings: [ContentCodings.Coding]
    private let limits: DecodingLimits
    private let url: String

    init(_ chunks: BodyChunks, _ codings: [ContentCodings.Coding], limits: DecodingLimits, url: String) {
        self.chunks = chunks
        self.codings = codings
        self.limits = limits
        self.url = url
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(
            chunks: chunks.makeAsyncIterator(), stages: codings.map(Stage.init),
            meter: Meter(limits: limits, url: url))
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var chunks: BodyChunks.Iterator
        fileprivate let stages: [Stage]
        fileprivate var meter: Meter
        private var isEmpty = true
        private var isOver = false

        fileprivate init(chunks: BodyChunks.Iterator, stages: [Stage], meter: Meter) {
            self.chunks = chunks
            self.stages = stages
            self.meter = meter
        }

        mutating func next() async throws -> Data? {
            guard !isOver else { return nil }
            do {
                if let data = try await piece() { return data }
                isOver = true
                return nil
            } catch {
                isOver = true
                throw error
            }
        }

        private mutating func piece() async throws -> Data? {
            while true {
                if let data = try drain() { return data }
                if let data = try await chunks.next() {
                    guard !data.isEmpty else { continue }
                    isEmpty = false
                    meter.received += Int64(data.count)
                    stages[0].input = data
                } else {
                    // An empty body has no coding.
                    guard isEmpty || stages.allSatisfy(\.isComplete) else {
                        throw meter.error(.connectionLost, "the encoded body ended early")
                    }
                    return nil
                }
            }
        }

        /// Passes the output of each stage to the next stage, starting with the last stage.
        /// - Returns: A chunk of the decoded body, or `nil` if the stages need more input.
        private mutating func drain() throws -> Data? {
            var index = stages.count - 1
            while index >= 0 {
                let produced = try stages[index].step(DecodedBody.pieceSize, meter)
                guard !produced.isEmpty else {
                    index -= 1
                    continue
                }
                try meter.count(produced.count, atStage: index)
                guard index < stages.count - 1 else { return produced }
                index += 1
                stages[index].input = produced
            }
            return nil
        }
    }

    /// The decoder of one coding. It is not `Sendable` and belongs to its iterator.
    fileprivate final class Stage {
        private let decoder: CodingDecoder
        var input = Data()
        private var mayHoldMore = false
        var isComplete: Bool { input.isEmpty && (decoder.isAtEnd || !decoder.isBegun) }

        init(_ coding: ContentCodings.Coding) {
            decoder = CodingDecoder(coding)
        }

        /// Decodes until a chunk is full or the input is consumed.
        func step(_ size: Int, _ meter: Meter) throws -> Data {
            guard !input.isEmpty || mayHoldMore else { return Data() }
            var output = Data(count: size)
            var (consumed, produced) = (0, 0)
            do {
                try output.withUnsafeMutableBytes { output in
                    try input.withUnsafeBytes { input in
                        while produced < output.count {
                            let (read, written) = try decoder.decode(
                                UnsafeRawBufferPointer(rebasing: input[consumed...]),
                                into: UnsafeMutableRawBufferPointer(rebasing: output[produced...]))
                            consumed += read
                            produced += written
                            if read == 0, written == 0 { break }
                        }
                    }
                }
            } catch CodingDecoder.Failure.noMemory {
                throw meter.error(.internal, "not enough memory to decode the body")
            } catch {
                throw meter.error(.connectionLost, "the body does not have the content coding of its head")
            }
            input = input.dropFirst(consumed)
            // After a full chunk, the decoder may hold more output. Reading it needs no more input.
            mayHoldMore = produced == size
            return output.prefix(produced)
        }
    }

    /// The counts of received and produced bytes, with their limits.
    fileprivate struct Meter {
        let limits: DecodingLimits
        let url: String
        var received: Int64 = 0
        private var produced: [Int: Int64] = [:]

        init(limits: DecodingLimits, url: String) {
            self.limits = limits
            self.url = url
        }

        /// Adds the output of a stage.
        /// - Throws: `ResourceError` with code `tooLarge` if a stage exceeds a limit. The limits apply to each stage,
        ///   because the last stage may reduce the size.
        mutating func count(_ bytes: Int, atStage stage: Int) throws {
            let sum = (produced[stage] ?? 0) + Int64(bytes)
            produced[stage] = sum
            guard sum <= limits.bytes else {
                throw error(.tooLarge, "the body decodes to more than \(limits.bytes) bytes")
            }
            guard sum <= limits.ratioFloor || sum / Swift.max(received, 1) < limits.ratio else {
                throw error(.tooLarge, "the body decodes to more than \(limits.ratio) times its size")
            }
        }

        func error(_ code: ResourceError.Code, _ message: String) -> ResourceError {
            ResourceError(code, TransportFailure(.receive, message), at: url)
        }
    }
}

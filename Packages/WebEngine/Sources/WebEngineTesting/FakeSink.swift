// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
public import ResourceLoading

/// What one request of a ``FakeEngine`` heard.
@MainActor
public final class FakeSink: SchemeTaskSink {
    /// The answer's status; `nil` until its head is there.
    public private(set) var status: Int?
    /// The answer's fields.
    public private(set) var fields: HTTPFields = [:]
    /// What came of the body.
    public private(set) var body = Data()
    /// Why there is no answer, or not all of it.
    public private(set) var error: ResourceError?
    /// Whether nothing more will come: all was there, it failed, or the page dropped it.
    public private(set) var hasEnded = false
    /// What carries the answer; a page stops it.
    public internal(set) var delivery: SchemeTaskDelivery?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init() {}

    /// The body as text.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Returns when nothing more will come.
    public func end() async {
        guard !hasEnded else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Has the page drop the request.
    public func drop() {
        delivery?.stop()
        hasEnded = true
        for continuation in waiting { continuation.resume() }
        waiting.removeAll()
    }

    public func receive(_ head: HTTPResponse, length: Int64?) {
        status = head.status.code
        fields = head.headerFields
    }

    public func receive(_ data: Data) async throws { body += data }

    public func receive(_ head: HTTPResponse, whole body: WholeBody) {
        receive(head, length: nil)
        switch body {
        case .bytes(let data): self.body = data
        case .file(let slice): self.body = (try? slice.read()) ?? Data()
        }
        finish()
    }

    public func finish() {
        delivery = nil
        drop()
    }

    public func fail(_ error: ResourceError) {
        self.error = error
        finish()
    }
}

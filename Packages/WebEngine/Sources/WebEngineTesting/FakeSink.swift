// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
public import ResourceLoading

/// The response that one request of a ``FakeEngine`` receives.
@MainActor
public final class FakeSink: SchemeTaskSink {
    /// The status of the response; `nil` until the head arrives.
    public private(set) var status: Int?
    /// The header fields of the response.
    public private(set) var fields: HTTPFields = [:]
    /// The received part of the body.
    public private(set) var body = Data()
    /// The error of the request; `nil` if it did not fail.
    public private(set) var error: ResourceError?
    /// A Boolean value that indicates whether the request has finished or failed, or the page has cancelled it.
    public private(set) var hasEnded = false
    /// The delivery of the response; ``drop()`` stops it.
    public internal(set) var delivery: SchemeTaskDelivery?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init() {}

    /// The body as text.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Waits until the request has ended.
    public func end() async {
        guard !hasEnded else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Cancels the request, as a page does.
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

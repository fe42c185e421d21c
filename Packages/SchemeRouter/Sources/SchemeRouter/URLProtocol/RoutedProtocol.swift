// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// What a session makes for each request that a face covers. Subclasses differ in their route alone.
class RoutedProtocol: URLProtocol {
    private var delivery: ProtocolDelivery?
    private var hasStarted = false

    override class func canInit(with request: URLRequest) -> Bool {
        guard let head = request.head, let face = ProtocolRouteTable.route(of: self)?.face else { return false }
        return face.accepts(head)
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override class func requestIsCacheEquivalent(_ one: URLRequest, to other: URLRequest) -> Bool { one == other }

    override func startLoading() {
        // On Linux a session starts a protocol as often as its task is resumed.
        if hasStarted {
            delivery?.turn()
            return
        }
        hasStarted = true
        guard let route = ProtocolRouteTable.route(of: type(of: self)), let face = route.face, let head = request.head
        else {
            let error = ResourceError(.cancelled, "the container is closed", at: request.url?.absoluteString)
            client?.urlProtocol(self, didFailWithError: error.urlError(at: request.url))
            return
        }
        let delivery = ProtocolDelivery(of: head, to: self, by: face, route.settings)
        self.delivery = delivery
        delivery.start(refusal: refusal)
    }

    override func stopLoading() {
        #if canImport(FoundationNetworking)
            // A session on Linux stops a protocol whose task is suspended, and could only begin anew.
            if task?.state == .suspended { return }
        #endif
        delivery?.stop()
    }

    /// The answer is over: a session may keep its protocols, and says nothing when it is done with one.
    func forgetDelivery() {
        delivery = nil
    }

    /// Why the request cannot be answered whole here; `nil` where it can. On Linux a session tells a protocol nothing of
    /// what an upload task sends, and traps where a protocol answers a download task.
    private var refusal: String? {
        #if canImport(FoundationNetworking)
            switch task {
            case is URLSessionDownloadTask:
                return "on Linux the container cannot answer a download task: use a data task"
            case is URLSessionUploadTask where request.httpBody == nil && request.httpBodyStream == nil:
                return "on Linux the body of an upload task does not reach the container: use a data task with httpBody"
            default: break
            }
        #endif
        return nil
    }
}

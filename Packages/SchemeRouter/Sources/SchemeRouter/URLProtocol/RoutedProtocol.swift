// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The protocol that a session creates for each request that a face covers. Subclasses differ only in their route.
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
        // On Linux, a session starts a protocol each time its task is resumed.
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
            // On Linux, a session stops the protocol of a suspended task and could only restart it from the beginning.
            if task?.state == .suspended { return }
        #endif
        delivery?.stop()
    }

    /// Releases the delivery after the response has ended, because a session may keep its protocols.
    func releaseDelivery() {
        delivery = nil
    }

    /// The reason why the request cannot be handled; `nil` if it can. On Linux, a session does not pass the body of an
    /// upload task to a protocol, and crashes if a protocol responds to a download task.
    private var refusal: String? {
        #if canImport(FoundationNetworking)
            switch task {
            case is URLSessionDownloadTask:
                return "on Linux the container cannot handle a download task: use a data task"
            case is URLSessionUploadTask where request.httpBody == nil && request.httpBodyStream == nil:
                return "on Linux the body of an upload task does not reach the container: use a data task with httpBody"
            default: break
            }
        #endif
        return nil
    }
}

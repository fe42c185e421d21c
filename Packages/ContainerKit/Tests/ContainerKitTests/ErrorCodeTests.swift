// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import ContainerTesting
import CookieJar
import LoopbackServer
import OfflinePackage
import PackageFormat
import Prefetch
import ResourceLoading
import ResourceStore
import ResourceTable
import SchemeRouter
import Testing
import WebEngine

/// The codes of errors, on which apps, logs and metrics depend. A code is never renamed. Add new codes here.
@Suite("Error codes")
struct ErrorCodeTests {
    private func check(_ codes: [(actual: String, expected: String)]) {
        for code in codes { #expect(code.actual == code.expected) }
        #expect(Set(codes.map(\.expected)).count == codes.count)
    }

    @Test("Codes of ContainerError")
    func containerError() {
        typealias Code = ContainerError.Code
        check([
            (Code.invalidURL.description, "invalid-url"),
            (Code.proxy.description, "proxy"),
            (Code.server.description, "server"),
            (Code.unsupported.description, "unsupported"),
            (Code.cookies.description, "cookies"),
            (Code.invalidInitialData.description, "invalid-seed"),
            (Code.signOut.description, "sign-out"),
            (Code.invalidDomain.description, "invalid-domain"),
        ])
    }

    @Test("Codes of DownloadError")
    func downloadError() {
        typealias Code = DownloadError.Code
        check([
            (Code.cancelled.description, "cancelled"),
            (Code.tooMany.description, "too-many"),
            (Code.tooLarge.description, "too-large"),
            (Code.noSpace.description, "no-space"),
            (Code.destination.description, "destination"),
            (Code.io.description, "io"),
            (Code.status.description, "status"),
            (Code.loadFailed.description, "load-failed"),
            (Code.timedOut.description, "timed-out"),
        ])
    }

    @Test("Codes of EngineError")
    func engineError() {
        typealias Code = EngineError.Code
        check([
            (Code.noMainLoop.description, "no-main-loop"),
            (Code.invalidUserAgent.description, "invalid-user-agent"),
            (Code.noDisplay.description, "no-display"),
            (Code.noSandbox.description, "no-sandbox"),
            (Code.schemeTaken.description, "scheme-taken"),
            (Code.handlerTaken.description, "handler-taken"),
            (Code.loadFailed.description, "load-failed"),
            (Code.blocked.description, "blocked"),
            (Code.pageGone.description, "page-gone"),
            (Code.unknownHost.description, "unknown-host"),
            (Code.cannotConnect.description, "cannot-connect"),
            (Code.tls.description, "tls"),
            (Code.badAnswer.description, "bad-answer"),
            (Code.connectionLost.description, "connection-lost"),
            (Code.processEnded.description, "process-ended"),
            (Code.script.description, "script"),
            (Code.snapshot.description, "snapshot"),
            (Code.storage.description, "storage"),
            (Code.cookie.description, "cookie"),
            (Code.timedOut.description, "timed-out"),
        ])
    }

    @Test("Codes of RemoteConfigError")
    func remoteConfigError() {
        typealias Code = RemoteConfigError.Code
        check([
            (Code.badDocument.description, "bad-document"),
            (Code.unknownFormat.description, "unknown-format"),
            (Code.badValue.description, "bad-value"),
            (Code.limit.description, "limit"),
            (Code.older.description, "older"),
            (Code.insecure.description, "insecure"),
        ])
    }

    @Test("Codes of ContainerTestingError")
    func containerTestingError() {
        typealias Code = ContainerTestingError.Code
        check([
            (Code.portInUse.description, "port-in-use"),
            (Code.cannotListen.description, "cannot-listen"),
            (Code.noSuchFolder.description, "no-such-folder"),
            (Code.invalidFault.description, "invalid-fault"),
            (Code.invalidProfile.description, "invalid-profile"),
            (Code.tls.description, "tls"),
        ])
    }

    @Test("Codes of CookieRefusal")
    func cookieRefusal() {
        typealias Code = CookieRefusal.Code
        check([
            (Code.controlCharacter.description, "control-character"),
            (Code.tooLong.description, "too-long"),
            (Code.empty.description, "empty"),
            (Code.publicSuffix.description, "public-suffix"),
            (Code.otherDomain.description, "other-domain"),
            (Code.insecureOrigin.description, "insecure-origin"),
            (Code.hidesSecure.description, "hides-secure"),
            (Code.httpOnly.description, "http-only"),
            (Code.crossSite.description, "cross-site"),
            (Code.crossSiteInsecure.description, "cross-site-insecure"),
            (Code.prefix.description, "prefix"),
            (Code.malformed.description, "malformed"),
        ])
    }

    @Test("Codes of CookieFileError")
    func cookieFileError() {
        typealias Code = CookieFileError.Code
        check([
            (Code.symbolicLink.description, "symbolic-link"),
            (Code.notAFile.description, "not-a-file"),
            (Code.foreign.description, "foreign"),
            (Code.tooLarge.description, "too-large"),
            (Code.io.description, "io"),
        ])
    }

    @Test("Codes of LoopbackError")
    func loopbackError() {
        typealias Code = LoopbackError.Code
        check([
            (Code.cannotListen.description, "cannot-listen"),
            (Code.certificate.description, "certificate"),
            (Code.trust.description, "trust"),
            (Code.stopped.description, "stopped"),
            (Code.loop.description, "loop"),
        ])
    }

    @Test("Codes of DeliveryError")
    func deliveryError() {
        typealias Code = DeliveryError.Code
        check([
            (Code.badURL.description, "bad-url"),
            (Code.network.description, "network"),
            (Code.status.description, "status"),
            (Code.stalled.description, "stalled"),
            (Code.badAnswer.description, "bad-answer"),
            (Code.tooLarge.description, "too-large"),
            (Code.truncated.description, "truncated"),
            (Code.digestMismatch.description, "digest-mismatch"),
            (Code.noSpace.description, "no-room"),
            (Code.queueFull.description, "queue-full"),
            (Code.notNow.description, "not-now"),
            (Code.hostTooOld.description, "host-too-old"),
            (Code.quarantined.description, "quarantined"),
            (Code.overtaken.description, "overtaken"),
            (Code.outOfScope.description, "out-of-scope"),
            (Code.otherSource.description, "other-source"),
            (Code.replayed.description, "replayed"),
            (Code.insecure.description, "insecure"),
            (Code.io.description, "io"),
        ])
    }

    @Test("Codes of PackageFailure")
    func packageFailure() {
        typealias Code = PackageFailure.Code
        check([
            (Code.delivery.description, "delivery"),
            (Code.package.description, "package"),
            (Code.store.description, "store"),
            (Code.cancelled.description, "cancelled"),
            (Code.other.description, "other"),
        ])
    }

    @Test("Codes of PackageError")
    func packageError() {
        typealias Code = PackageError.Code
        check([
            (Code.notAnArchive.description, "not-an-archive"),
            (Code.unsupported.description, "unsupported"),
            (Code.unsafePath.description, "unsafe-path"),
            (Code.specialFile.description, "special-file"),
            (Code.duplicateEntry.description, "duplicate-entry"),
            (Code.overlap.description, "overlap"),
            (Code.headerMismatch.description, "header-mismatch"),
            (Code.encrypted.description, "encrypted"),
            (Code.damaged.description, "damaged"),
            (Code.truncated.description, "truncated"),
            (Code.tooLarge.description, "too-large"),
            (Code.tooMany.description, "too-many"),
            (Code.badManifest.description, "bad-manifest"),
            (Code.mismatch.description, "mismatch"),
            (Code.digestMismatch.description, "digest-mismatch"),
            (Code.noInput.description, "no-input"),
            (Code.occupied.description, "occupied"),
            (Code.io.description, "io"),
        ])
    }

    @Test("Codes of TableError")
    func tableError() {
        typealias Code = TableError.Code
        check([
            (Code.badJSON.description, "bad-json"),
            (Code.badTable.description, "bad-table"),
            (Code.serverCode.description, "server-code"),
            (Code.noAnswer.description, "no-answer"),
            (Code.tooLarge.description, "too-large"),
            (Code.tooMany.description, "too-many"),
            (Code.outOfScope.description, "out-of-scope"),
            (Code.insecure.description, "insecure"),
            (Code.digestMismatch.description, "digest-mismatch"),
            (Code.offline.description, "offline"),
            (Code.timedOut.description, "timed-out"),
            (Code.storage.description, "storage"),
        ])
    }

    @Test("Codes of PrefetchError")
    func prefetchError() {
        typealias Code = PrefetchError.Code
        check([
            (Code.badJSON.description, "bad-json"),
            (Code.badTable.description, "bad-table"),
            (Code.serverCode.description, "server-code"),
            (Code.limit.description, "limit"),
        ])
    }

    @Test("Codes of ResourceError")
    func resourceError() {
        typealias Code = ResourceError.Code
        check([
            (Code.invalidRequest.description, "invalid-request"),
            (Code.unknownHost.description, "unknown-host"),
            (Code.cannotConnect.description, "cannot-connect"),
            (Code.tls.description, "tls"),
            (Code.connectionLost.description, "connection-lost"),
            (Code.timedOut.description, "timed-out"),
            (Code.offline.description, "offline"),
            (Code.tooLarge.description, "too-large"),
            (Code.tooManyRedirects.description, "too-many-redirects"),
            (Code.blocked.description, "blocked"),
            (Code.damaged.description, "damaged"),
            (Code.io.description, "io"),
            (Code.cancelled.description, "cancelled"),
            (Code.internal.description, "internal"),
        ])
    }

    @Test("Codes of StoreError")
    func storeError() {
        typealias Code = StoreError.Code
        check([
            (Code.inUse.description, "in-use"),
            (Code.io.description, "io"),
            (Code.damaged.description, "damaged"),
            (Code.diskFull.description, "disk-full"),
            (Code.notFound.description, "not-found"),
            (Code.conflict.description, "conflict"),
            (Code.digestMismatch.description, "digest-mismatch"),
            (Code.overBudget.description, "over-budget"),
            (Code.suspended.description, "suspended"),
            (Code.readOnly.description, "read-only"),
            (Code.untrusted.description, "untrusted"),
            (Code.newerFormat.description, "newer-format"),
        ])
    }

    @Test("Codes of RouteError")
    func routeError() {
        typealias Code = RouteError.Code
        check([
            (Code.badDocument.description, "bad-document"),
            (Code.unknownFormat.description, "unknown-format"),
            (Code.badRule.description, "bad-rule"),
            (Code.limit.description, "limit"),
        ])
    }
}

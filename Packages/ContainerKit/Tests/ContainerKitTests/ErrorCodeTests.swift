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
            ("\(Code.invalidURL)", "invalid-url"),
            ("\(Code.proxy)", "proxy"),
            ("\(Code.server)", "server"),
            ("\(Code.unsupported)", "unsupported"),
            ("\(Code.cookies)", "cookies"),
            ("\(Code.signOut)", "sign-out"),
            ("\(Code.invalidDomain)", "invalid-domain"),
        ])
    }

    @Test("Codes of PageInterfaceError")
    func pageInterfaceError() {
        typealias Code = PageInterfaceError.Code
        check([
            ("\(Code.invalidInitialData)", "invalid-seed"),
            ("\(Code.invalidName)", "invalid-name"),
        ])
    }

    @Test("Codes of DownloadError")
    func downloadError() {
        typealias Code = DownloadError.Code
        check([
            ("\(Code.cancelled)", "cancelled"),
            ("\(Code.tooMany)", "too-many"),
            ("\(Code.tooLarge)", "too-large"),
            ("\(Code.noSpace)", "no-space"),
            ("\(Code.destination)", "destination"),
            ("\(Code.io)", "io"),
            ("\(Code.status)", "status"),
            ("\(Code.loadFailed)", "load-failed"),
            ("\(Code.timedOut)", "timed-out"),
        ])
    }

    @Test("Codes of EngineError")
    func engineError() {
        typealias Code = EngineError.Code
        check([
            ("\(Code.noMainLoop)", "no-main-loop"),
            ("\(Code.invalidUserAgent)", "invalid-user-agent"),
            ("\(Code.noDisplay)", "no-display"),
            ("\(Code.noSandbox)", "no-sandbox"),
            ("\(Code.schemeTaken)", "scheme-taken"),
            ("\(Code.handlerTaken)", "handler-taken"),
            ("\(Code.loadFailed)", "load-failed"),
            ("\(Code.blocked)", "blocked"),
            ("\(Code.pageGone)", "page-gone"),
            ("\(Code.unknownHost)", "unknown-host"),
            ("\(Code.cannotConnect)", "cannot-connect"),
            ("\(Code.tls)", "tls"),
            ("\(Code.badAnswer)", "bad-answer"),
            ("\(Code.connectionLost)", "connection-lost"),
            ("\(Code.processEnded)", "process-ended"),
            ("\(Code.script)", "script"),
            ("\(Code.snapshot)", "snapshot"),
            ("\(Code.storage)", "storage"),
            ("\(Code.cookie)", "cookie"),
            ("\(Code.timedOut)", "timed-out"),
        ])
    }

    @Test("Codes of RemoteConfigError")
    func remoteConfigError() {
        typealias Code = RemoteConfigError.Code
        check([
            ("\(Code.badDocument)", "bad-document"),
            ("\(Code.unknownFormat)", "unknown-format"),
            ("\(Code.badValue)", "bad-value"),
            ("\(Code.limit)", "limit"),
            ("\(Code.older)", "older"),
            ("\(Code.insecure)", "insecure"),
        ])
    }

    @Test("Codes of ContainerTestingError")
    func containerTestingError() {
        typealias Code = ContainerTestingError.Code
        check([
            ("\(Code.portInUse)", "port-in-use"),
            ("\(Code.cannotListen)", "cannot-listen"),
            ("\(Code.noSuchFolder)", "no-such-folder"),
            ("\(Code.invalidFault)", "invalid-fault"),
            ("\(Code.invalidProfile)", "invalid-profile"),
            ("\(Code.tls)", "tls"),
        ])
    }

    @Test("Codes of CookieRefusal")
    func cookieRefusal() {
        typealias Code = CookieRefusal.Code
        check([
            ("\(Code.controlCharacter)", "control-character"),
            ("\(Code.tooLong)", "too-long"),
            ("\(Code.empty)", "empty"),
            ("\(Code.publicSuffix)", "public-suffix"),
            ("\(Code.otherDomain)", "other-domain"),
            ("\(Code.insecureOrigin)", "insecure-origin"),
            ("\(Code.hidesSecure)", "hides-secure"),
            ("\(Code.httpOnly)", "http-only"),
            ("\(Code.crossSite)", "cross-site"),
            ("\(Code.crossSiteInsecure)", "cross-site-insecure"),
            ("\(Code.prefix)", "prefix"),
            ("\(Code.malformed)", "malformed"),
        ])
    }

    @Test("Codes of CookieFileError")
    func cookieFileError() {
        typealias Code = CookieFileError.Code
        check([
            ("\(Code.symbolicLink)", "symbolic-link"),
            ("\(Code.notAFile)", "not-a-file"),
            ("\(Code.foreign)", "foreign"),
            ("\(Code.tooLarge)", "too-large"),
            ("\(Code.io)", "io"),
        ])
    }

    @Test("Codes of LoopbackError")
    func loopbackError() {
        typealias Code = LoopbackError.Code
        check([
            ("\(Code.cannotListen)", "cannot-listen"),
            ("\(Code.certificate)", "certificate"),
            ("\(Code.trust)", "trust"),
            ("\(Code.stopped)", "stopped"),
            ("\(Code.loop)", "loop"),
        ])
    }

    @Test("Codes of DeliveryError")
    func deliveryError() {
        typealias Code = DeliveryError.Code
        check([
            ("\(Code.badURL)", "bad-url"),
            ("\(Code.network)", "network"),
            ("\(Code.status)", "status"),
            ("\(Code.stalled)", "stalled"),
            ("\(Code.badAnswer)", "bad-answer"),
            ("\(Code.tooLarge)", "too-large"),
            ("\(Code.truncated)", "truncated"),
            ("\(Code.digestMismatch)", "digest-mismatch"),
            ("\(Code.noSpace)", "no-room"),
            ("\(Code.queueFull)", "queue-full"),
            ("\(Code.notNow)", "not-now"),
            ("\(Code.hostTooOld)", "host-too-old"),
            ("\(Code.quarantined)", "quarantined"),
            ("\(Code.overtaken)", "overtaken"),
            ("\(Code.outOfScope)", "out-of-scope"),
            ("\(Code.otherSource)", "other-source"),
            ("\(Code.replayed)", "replayed"),
            ("\(Code.insecure)", "insecure"),
            ("\(Code.io)", "io"),
        ])
    }

    @Test("Codes of PackageFailure")
    func packageFailure() {
        typealias Code = PackageFailure.Code
        check([
            ("\(Code.delivery)", "delivery"),
            ("\(Code.package)", "package"),
            ("\(Code.store)", "store"),
            ("\(Code.cancelled)", "cancelled"),
            ("\(Code.other)", "other"),
        ])
    }

    @Test("Codes of PackageError")
    func packageError() {
        typealias Code = PackageError.Code
        check([
            ("\(Code.notAnArchive)", "not-an-archive"),
            ("\(Code.unsupported)", "unsupported"),
            ("\(Code.unsafePath)", "unsafe-path"),
            ("\(Code.specialFile)", "special-file"),
            ("\(Code.duplicateEntry)", "duplicate-entry"),
            ("\(Code.overlap)", "overlap"),
            ("\(Code.headerMismatch)", "header-mismatch"),
            ("\(Code.encrypted)", "encrypted"),
            ("\(Code.damaged)", "damaged"),
            ("\(Code.truncated)", "truncated"),
            ("\(Code.tooLarge)", "too-large"),
            ("\(Code.tooMany)", "too-many"),
            ("\(Code.badManifest)", "bad-manifest"),
            ("\(Code.badCatalogue)", "bad-catalogue"),
            ("\(Code.mismatch)", "mismatch"),
            ("\(Code.digestMismatch)", "digest-mismatch"),
            ("\(Code.noInput)", "no-input"),
            ("\(Code.occupied)", "occupied"),
            ("\(Code.io)", "io"),
        ])
    }

    @Test("Codes of TableError")
    func tableError() {
        typealias Code = TableError.Code
        check([
            ("\(Code.badJSON)", "bad-json"),
            ("\(Code.badTable)", "bad-table"),
            ("\(Code.serverCode)", "server-code"),
            ("\(Code.noAnswer)", "no-answer"),
            ("\(Code.tooLarge)", "too-large"),
            ("\(Code.tooMany)", "too-many"),
            ("\(Code.outOfScope)", "out-of-scope"),
            ("\(Code.insecure)", "insecure"),
            ("\(Code.digestMismatch)", "digest-mismatch"),
            ("\(Code.offline)", "offline"),
            ("\(Code.timedOut)", "timed-out"),
            ("\(Code.storage)", "storage"),
        ])
    }

    @Test("Codes of PrefetchError")
    func prefetchError() {
        typealias Code = PrefetchError.Code
        check([
            ("\(Code.badJSON)", "bad-json"),
            ("\(Code.badTable)", "bad-table"),
            ("\(Code.serverCode)", "server-code"),
            ("\(Code.limit)", "limit"),
        ])
    }

    @Test("Codes of ResourceError")
    func resourceError() {
        typealias Code = ResourceError.Code
        check([
            ("\(Code.invalidRequest)", "invalid-request"),
            ("\(Code.unknownHost)", "unknown-host"),
            ("\(Code.cannotConnect)", "cannot-connect"),
            ("\(Code.tls)", "tls"),
            ("\(Code.connectionLost)", "connection-lost"),
            ("\(Code.timedOut)", "timed-out"),
            ("\(Code.offline)", "offline"),
            ("\(Code.tooLarge)", "too-large"),
            ("\(Code.tooManyRedirects)", "too-many-redirects"),
            ("\(Code.blocked)", "blocked"),
            ("\(Code.damaged)", "damaged"),
            ("\(Code.io)", "io"),
            ("\(Code.cancelled)", "cancelled"),
            ("\(Code.internal)", "internal"),
        ])
    }

    @Test("Codes of StoreError")
    func storeError() {
        typealias Code = StoreError.Code
        check([
            ("\(Code.inUse)", "in-use"),
            ("\(Code.io)", "io"),
            ("\(Code.damaged)", "damaged"),
            ("\(Code.diskFull)", "disk-full"),
            ("\(Code.notFound)", "not-found"),
            ("\(Code.conflict)", "conflict"),
            ("\(Code.digestMismatch)", "digest-mismatch"),
            ("\(Code.overBudget)", "over-budget"),
            ("\(Code.suspended)", "suspended"),
            ("\(Code.readOnly)", "read-only"),
            ("\(Code.untrusted)", "untrusted"),
            ("\(Code.newerFormat)", "newer-format"),
        ])
    }

    @Test("Codes of RouteError")
    func routeError() {
        typealias Code = RouteError.Code
        check([
            ("\(Code.badDocument)", "bad-document"),
            ("\(Code.unknownFormat)", "unknown-format"),
            ("\(Code.badRule)", "bad-rule"),
            ("\(Code.limit)", "limit"),
        ])
    }
}

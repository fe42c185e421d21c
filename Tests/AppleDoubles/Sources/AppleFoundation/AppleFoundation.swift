// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The declarations that Apple's Foundation has and that of Linux lacks. On Linux the classes of URLSession are in a
// module of their own.

@_exported public import AppleCoreFoundation
public import Foundation
@_exported public import FoundationNetworking
public import Security

// foundation/httpcookiestringpolicy
public struct HTTPCookieStringPolicy: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    // foundation/httpcookiestringpolicy/samesitelax
    public static let sameSiteLax = HTTPCookieStringPolicy(rawValue: "")
    // foundation/httpcookiestringpolicy/samesitestrict
    public static let sameSiteStrict = HTTPCookieStringPolicy(rawValue: "")
}

extension HTTPCookie {
    // foundation/httpcookie/samesitepolicy
    public var sameSitePolicy: HTTPCookieStringPolicy? { nil }
}

extension HTTPCookiePropertyKey {
    // foundation/httpcookiepropertykey/samesitepolicy
    public static let sameSitePolicy = HTTPCookiePropertyKey(rawValue: "")
}

extension URLProtectionSpace {
    // foundation/urlprotectionspace/servertrust
    public var serverTrust: SecTrust? { nil }
}

extension URLCredential {
    // foundation/urlcredential/init(trust:)
    public convenience init(trust: SecTrust) { self.init(user: "", password: "", persistence: .none) }
}

extension URLRequest {
    // foundation/urlrequest/allowsconstrainednetworkaccess
    public var allowsConstrainedNetworkAccess: Bool {
        get { true }
        set {}
    }
    // foundation/urlrequest/allowsexpensivenetworkaccess
    public var allowsExpensiveNetworkAccess: Bool {
        get { true }
        set {}
    }
}

extension URLSessionConfiguration {
    // foundation/urlsessionconfiguration/background(withidentifier:)
    public class func background(withIdentifier identifier: String) -> URLSessionConfiguration { .default }
    // foundation/urlsessionconfiguration/sessionsendslaunchevents
    public var sessionSendsLaunchEvents: Bool {
        get { true }
        set {}
    }
    // foundation/urlsessionconfiguration/allowsconstrainednetworkaccess
    public var allowsConstrainedNetworkAccess: Bool {
        get { true }
        set {}
    }
    // foundation/urlsessionconfiguration/allowsexpensivenetworkaccess
    public var allowsExpensiveNetworkAccess: Bool {
        get { true }
        set {}
    }
}

extension URLSession {
    // foundation/urlsession/alltasks
    public var allTasks: [URLSessionTask] { get async { [] } }
}

// foundation/nsurlsessiondownloadtaskresumedata
public let NSURLSessionDownloadTaskResumeData = ""

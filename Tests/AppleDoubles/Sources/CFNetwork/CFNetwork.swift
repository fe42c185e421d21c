// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import AppleCoreFoundation
public import Foundation

// cfnetwork/cfnetworkcopysystemproxysettings(), since iOS 2 and macOS 10.6
public func CFNetworkCopySystemProxySettings() -> Unmanaged<CFDictionary>? { nil }

// cfnetwork/cfnetworkcopyproxiesforurl(_:_:), since iOS 2 and macOS 10.5
public func CFNetworkCopyProxiesForURL(_ url: CFURL, _ proxySettings: CFDictionary) -> Unmanaged<CFArray> {
    .passRetained(CFArray())
}

// Constants of C, which any thread may read.

// cfnetwork/kcfproxytypekey
public var kCFProxyTypeKey: CFString { "" }
// cfnetwork/kcfproxyhostnamekey
public var kCFProxyHostNameKey: CFString { "" }
// cfnetwork/kcfproxyportnumberkey
public var kCFProxyPortNumberKey: CFString { "" }
// cfnetwork/kcfproxyusernamekey
public var kCFProxyUsernameKey: CFString { "" }
// cfnetwork/kcfproxypasswordkey
public var kCFProxyPasswordKey: CFString { "" }
// cfnetwork/kcfproxytypenone
public var kCFProxyTypeNone: CFString { "" }
// cfnetwork/kcfproxytypehttp
public var kCFProxyTypeHTTP: CFString { "" }
// cfnetwork/kcfproxytypehttps
public var kCFProxyTypeHTTPS: CFString { "" }
// cfnetwork/kcfproxytypesocks
public var kCFProxyTypeSOCKS: CFString { "" }
// cfnetwork/kcfproxytypeautoconfigurationurl
public var kCFProxyTypeAutoConfigurationURL: CFString { "" }
// cfnetwork/kcfproxytypeautoconfigurationjavascript, since iOS 3 and macOS 10.7
public var kCFProxyTypeAutoConfigurationJavaScript: CFString { "" }

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

extension SchemeNames {
    /// Gives the request fields that name an origin their real values.
    ///
    /// `Origin` and `Referer` carry the custom scheme in this mode; the world outside knows only the real one.
    public func restoreOriginFields(in fields: inout HTTPFields) {
        for name in [HTTPField.Name.origin, .referer] {
            if let value = fields[name], let real = realURL(of: value) {
                fields[name] = real
            }
        }
    }
}

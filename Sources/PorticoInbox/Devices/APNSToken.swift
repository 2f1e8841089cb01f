import Foundation
import Portico

extension MobileRegistration {
    /// The push token that APNs gave, in lower-case hexadecimal.
    ///
    /// It takes `Data` alone: a token of FCM is text already, and goes through unchanged.
    public static func hexadecimal(_ token: Data) -> String {
        Hexadecimal.encode(Array(token))
    }
}

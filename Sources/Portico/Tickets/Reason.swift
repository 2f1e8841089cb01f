/// Why a scan was refused: stable codes, in the order in which they are judged.
///
/// The first reason that applies is the one that is given. A reader treats a code that it does not know as refused.
/// From `keyRevoked` on the ticket is genuine and its content may be shown; for `unknownEvent`, `unknownKey` and
/// `badSignature` it is only claimed.
public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// No configuration is applied, this gate's event or zone is not in it, or its signature engine has failed.
    case notConfigured
    /// The code has no shape that any ticket has.
    case malformed
    /// A ticket of a format, version or criticality that this gate does not take.
    case unsupportedFormat
    /// The configuration does not know the ticket's event.
    case unknownEvent
    /// There is no key to try: the named one is not the event's.
    case unknownKey
    /// No key that may be tried verifies the signature.
    case badSignature
    /// Genuine, by a key that was revoked.
    case keyRevoked
    /// Genuine, but issued outside the validity of its key.
    case outsideKeyValidity
    /// Genuine, but its own times contradict each other.
    case inconsistent
    /// Genuine, for an event that this gate does not serve.
    case wrongEvent
    /// Genuine, and on the revocation list.
    case revoked
    /// The device's clock contradicts what is known of the time.
    case clockUntrusted
    /// Issued later than now.
    case issuedInFuture
    /// Its window has not begun.
    case notYetValid
    /// Its window is over.
    case expired
    /// Its zone is not admitted here.
    case wrongZone
    /// The zone is outside its hours.
    case zoneClosed
    /// Reserved: the holder is inside already.
    case passBack
    /// Reserved: the holder is not inside.
    case notInside
    /// Reserved: the day's uses are spent.
    case dayLimit
    /// A rule of the host refused; its code stands beside the reason.
    case hostRule
    /// Its admissions are spent.
    case alreadyUsed
    /// It would be admitted, but that could not be made durable.
    case notRecorded

    /// The place in the order of judgement, from 1; of two reasons that apply the lower one is given.
    public var rank: Int {
        switch self {
        case .notConfigured: 1
        case .malformed: 2
        case .unsupportedFormat: 3
        case .unknownEvent: 4
        case .unknownKey: 5
        case .badSignature: 6
        case .keyRevoked: 7
        case .outsideKeyValidity: 8
        case .inconsistent: 9
        case .wrongEvent: 10
        case .revoked: 11
        case .clockUntrusted: 12
        case .issuedInFuture: 13
        case .notYetValid: 14
        case .expired: 15
        case .wrongZone: 16
        case .zoneClosed: 17
        case .passBack, .notInside, .dayLimit: 18
        case .hostRule: 19
        case .alreadyUsed: 20
        case .notRecorded: 21
        }
    }
}

/// Why a scan was refused: stable codes, in the order in which they are judged.
///
/// The first reason that applies is the one that is given. From `keyRevoked` on the ticket is genuine and its content may
/// be shown; for `unknownEvent`, `unknownKey` and `badSignature` it is only claimed.
///
/// The set is open: a code that a later version wrote is a refusal too, and keeps its text.
public struct Reason: RawRepresentable, Sendable, Hashable {
    /// The code, as servers and apps store it.
    public let rawValue: String
    /// The place in the order of judgement, from 1; of two reasons that apply the lower one is given.
    public let rank: Int

    /// The reason with that code; one that this version does not know is not given by it, and ranks last.
    public init(rawValue: String) {
        let reason = Reason(code: rawValue, rank: .max)
        self = Self.allCases.first { $0 == reason } ?? reason
    }

    private init(code: String, rank: Int) {
        rawValue = code
        self.rank = rank
    }

    /// Compares codes as bytes: one that only looks like another is another.
    public static func == (lhs: Reason, rhs: Reason) -> Bool {
        lhs.rawValue.utf8.elementsEqual(rhs.rawValue.utf8)
    }
}

extension Reason {
    /// No configuration is applied, this gate's event or zone is not in it, or its signature engine has failed.
    public static let notConfigured = Reason(code: "notConfigured", rank: 1)
    /// The code has no shape that any ticket has.
    public static let malformed = Reason(code: "malformed", rank: 2)
    /// A ticket of a format, version or criticality that this gate does not take.
    public static let unsupportedFormat = Reason(code: "unsupportedFormat", rank: 3)
    /// The configuration does not know the ticket's event.
    public static let unknownEvent = Reason(code: "unknownEvent", rank: 4)
    /// There is no key to try: the named one is not the event's.
    public static let unknownKey = Reason(code: "unknownKey", rank: 5)
    /// No key that may be tried verifies the signature.
    public static let badSignature = Reason(code: "badSignature", rank: 6)
    /// Genuine, by a key that was revoked.
    public static let keyRevoked = Reason(code: "keyRevoked", rank: 7)
    /// Genuine, but issued outside the validity of its key.
    public static let outsideKeyValidity = Reason(code: "outsideKeyValidity", rank: 8)
    /// Genuine, but its own times contradict each other.
    public static let inconsistent = Reason(code: "inconsistent", rank: 9)
    /// Genuine, for an event that this gate does not serve.
    public static let wrongEvent = Reason(code: "wrongEvent", rank: 10)
    /// Genuine, and on the revocation list.
    public static let revoked = Reason(code: "revoked", rank: 11)
    /// The device's clock contradicts what is known of the time.
    public static let clockUntrusted = Reason(code: "clockUntrusted", rank: 12)
    /// Issued later than now.
    public static let issuedInFuture = Reason(code: "issuedInFuture", rank: 13)
    /// Its window has not begun.
    public static let notYetValid = Reason(code: "notYetValid", rank: 14)
    /// Its window is over.
    public static let expired = Reason(code: "expired", rank: 15)
    /// Its zone is not admitted here.
    public static let wrongZone = Reason(code: "wrongZone", rank: 16)
    /// The zone is outside its hours.
    public static let zoneClosed = Reason(code: "zoneClosed", rank: 17)
    /// Reserved: the holder is inside already.
    public static let passBack = Reason(code: "passBack", rank: 18)
    /// Reserved: the holder is not inside.
    public static let notInside = Reason(code: "notInside", rank: 18)
    /// Reserved: the day's uses are spent.
    public static let dayLimit = Reason(code: "dayLimit", rank: 18)
    /// A rule of the host refused; its code stands beside the reason.
    public static let hostRule = Reason(code: "hostRule", rank: 19)
    /// Its admissions are spent.
    public static let alreadyUsed = Reason(code: "alreadyUsed", rank: 20)
    /// It would be admitted, but that could not be made durable.
    public static let notRecorded = Reason(code: "notRecorded", rank: 21)
}

extension Reason: CaseIterable {
    /// The reasons that this version gives, in their order.
    public static let allCases: [Reason] = [
        .notConfigured, .malformed, .unsupportedFormat, .unknownEvent, .unknownKey, .badSignature, .keyRevoked,
        .outsideKeyValidity, .inconsistent, .wrongEvent, .revoked, .clockUntrusted, .issuedInFuture, .notYetValid,
        .expired, .wrongZone, .zoneClosed, .passBack, .notInside, .dayLimit, .hostRule, .alreadyUsed, .notRecorded,
    ]
}

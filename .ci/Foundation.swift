// The values of Foundation that rooms may use, transcribed: names, labels and types, all of iOS 8. With it the compiler
// holds a room that reads time zones to the deployment floor; whatever else a room takes from Foundation fails there,
// and is added here with its availability only after Apple's documentation was read.

/// A point in time.
public struct Date: Sendable, Hashable {
    /// By seconds since 1970.
    public init(timeIntervalSince1970: Double) {}
}

/// A time zone.
public struct TimeZone: Sendable, Hashable {
    /// The names that the system knows.
    public static var knownTimeZoneIdentifiers: [String] { [] }

    /// By its name; nil where there is none of it.
    public init?(identifier: String) { nil }

    /// Its name.
    public var identifier: String { "" }

    /// Its distance from Greenwich, in seconds, at that time.
    public func secondsFromGMT(for date: Date) -> Int { 0 }
}

/// Bytes.
public struct Data: Sendable, Hashable, Sequence {
    /// Its bytes, one after the other.
    public func makeIterator() -> IndexingIterator<[UInt8]> { [UInt8]().makeIterator() }
}

/// A power; of the C library, as the next ones, which Foundation passes on.
public func pow(_ base: Double, _ exponent: Double) -> Double { 0 }

/// A sine.
public func sin(_ angle: Double) -> Double { 0 }

/// A cosine.
public func cos(_ angle: Double) -> Double { 0 }

/// A size with another sign.
public func copysign(_ size: Double, _ sign: Double) -> Double { 0 }

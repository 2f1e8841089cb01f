/// Random numbers that come out the same for the same seed: SplitMix64 (Steele, Lea, Flood 2014).
///
/// For tests and simulations; it is no source of secrets.
///
/// It is a value: a copy goes on from where it was copied and gives the same numbers as the original. Give each task
/// a generator of its own, by another seed, rather than one that is shared.
///
/// ```swift
/// var generator = SeededGenerator(seed: 7)
/// let id = EventID(at: now, random: (generator.next(), generator.next()))
/// ```
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator of that seed.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

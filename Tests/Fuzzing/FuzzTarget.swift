/// Something that reads what strangers wrote, put to bytes of any kind.
///
/// The same targets run under libFuzzer (`make fuzz`) and over the kept corpus (`CorpusTests`).
protocol FuzzTarget {
    /// Its name: of the fuzzer, and of its folder in the corpus.
    static var name: String { get }

    /// Puts bytes to it; a trap is a failure too.
    ///
    /// - Returns: Whether they were taken for what they are to be.
    /// - Throws: `Broken` where a property does not hold.
    static func check(_ bytes: [UInt8]) throws -> Bool
}

/// A property that does not hold.
struct Broken: Error, CustomStringConvertible {
    let description: String
}

/// Checks a property.
func hold(_ condition: Bool, _ property: @autoclosure () -> String) throws(Broken) {
    if !condition { throw Broken(description: property()) }
}

import Portico

/// Any bytes to the JSON reader, under the limits of a ticket and under those of a configuration: a value or an error,
/// and a value that was read is written so that it reads the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(JSONError) {
        let value = try JSONValue(parsing: bytes)
        let again = try JSONValue(parsing: value.serialized())
        precondition(again == value, "a value reads back as another")
        let canonical = try JSONValue(parsing: value.canonical())
        precondition(canonical.canonical() == value.canonical(), "the canonical form of a canonical form differs")
    } catch {
        precondition(error.offset <= count, "an error beyond the end")
    }
    return 0
}

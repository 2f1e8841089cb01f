import PorticoFileJournal

/// Any bytes as a segment, as frames and as the content of one: what is whole is read, and reading ends.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    precondition(JournalRecovery.exercise(Array(UnsafeBufferPointer(start: start, count: count))) >= 0)
    return 0
}
